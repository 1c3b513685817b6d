//! What comes in over one connection beside answers, in the order in which it comes.

use std::sync::atomic::{AtomicBool, AtomicU64, AtomicUsize, Ordering};
use std::sync::{Arc, Mutex, OnceLock};
use std::time::{Duration, Instant};

use rmcp::model::{ProgressNotificationParam, ServerNotification};
use tokio::sync::watch;
use tokio_util::sync::CancellationToken;

use super::in_flight::Desk;
use crate::context::{Level, Progress};
use crate::mcp::host::event::McpEvent;
use crate::mcp::host::settings::Settings;
use crate::mcp::level;
use crate::sync::lock;

/// The kinds of lists that a server has.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Kind {
    Tools,
    Prompts,
    Resources,
}

impl Kind {
    pub(crate) const ALL: [Self; 3] = [Self::Tools, Self::Prompts, Self::Resources];
}

/// What comes in over one connection.
pub(crate) struct Inbox {
    pub(crate) server: Arc<str>,
    pub(crate) settings: Arc<Settings>,
    pub(crate) desk: Desk,
    /// Questions of the server that are being answered.
    answering: AtomicUsize,
    /// How often the server said that a list has changed.
    versions: [AtomicU64; 3],
    /// Whether the server can say so now.
    heard: [AtomicBool; 3],
    rate: Mutex<Rate>,
    fault: Mutex<Option<String>>,
    /// Whether a person is being asked to sign in.
    signing_in: OnceLock<watch::Receiver<bool>>,
    gone: CancellationToken,
}

/// Notifications within the current second.
struct Rate {
    since: Instant,
    count: u32,
}

impl Inbox {
    pub(crate) fn new(server: Arc<str>, settings: Arc<Settings>) -> Self {
        Self {
            server,
            settings,
            desk: Desk::default(),
            answering: AtomicUsize::new(0),
            versions: Default::default(),
            heard: Default::default(),
            rate: Mutex::new(Rate { since: Instant::now(), count: 0 }),
            fault: Mutex::new(None),
            signing_in: OnceLock::new(),
            gone: CancellationToken::new(),
        }
    }

    /// Resolves when the connection has ended.
    pub(crate) fn gone(&self) -> &CancellationToken {
        &self.gone
    }

    /// Says why the connection is given up, if nothing was said before.
    pub(crate) fn blame(&self, why: String) {
        lock(&self.fault).get_or_insert(why);
    }

    /// Why this side ended the connection, if it did.
    pub(crate) fn fault(&self) -> Option<String> {
        lock(&self.fault).clone()
    }

    /// How often a list has changed: what was read before a change is stale after it.
    pub(crate) fn version(&self, kind: Kind) -> u64 {
        self.versions[kind as usize].load(Ordering::Acquire)
    }

    /// Whether a change of such a list would be heard.
    pub(crate) fn hears(&self, kind: Kind) -> bool {
        self.heard[kind as usize].load(Ordering::Acquire)
    }

    pub(crate) fn set_heard(&self, kind: Kind, yes: bool) {
        self.heard[kind as usize].store(yes, Ordering::Release);
    }

    /// Something may have changed unheard.
    pub(crate) fn lists_may_differ(&self) {
        for version in &self.versions {
            version.fetch_add(1, Ordering::AcqRel);
        }
    }

    /// The connection has ended.
    pub(crate) fn end(&self) {
        self.gone.cancel();
        self.desk.close();
    }

    /// Whether somebody here is answering the server now, or signing in: it is not the server that
    /// is slow then.
    pub(crate) fn is_answering(&self) -> bool {
        let signing_in = self.signing_in.get().is_some_and(|signing_in| *signing_in.borrow());
        signing_in || self.answering.load(Ordering::Acquire) > 0
    }

    /// Resolves after `limit`, not counting the time in which somebody here answers.
    pub(crate) async fn elapsed(&self, limit: Duration) {
        let mut until = tokio::time::Instant::now() + limit;
        loop {
            tokio::time::sleep_until(until).await;
            if !self.is_answering() {
                return;
            }
            until = tokio::time::Instant::now() + limit;
        }
    }

    /// Says where to look whether a person is being asked to sign in.
    #[cfg(feature = "mcp-host-http")]
    pub(crate) fn sign_in(&self, busy: watch::Receiver<bool>) {
        let _ = self.signing_in.set(busy);
    }

    /// Somebody here answers the server until the guard is dropped.
    pub(crate) fn answer(&self) -> Answering<'_> {
        self.answering.fetch_add(1, Ordering::AcqRel);
        Answering(self)
    }

    /// Takes a notification; gives back what the protocol itself needs. `Err` ends the connection.
    pub(crate) fn notified(
        &self,
        notification: ServerNotification,
    ) -> Result<Option<ServerNotification>, Flood> {
        self.count()?;
        match notification {
            ServerNotification::ProgressNotification(told) => self.progressed(told.params),
            ServerNotification::LoggingMessageNotification(told) => {
                let told = told.params;
                self.log(level::of_mcp(told.level), told.logger, told.data);
            }
            ServerNotification::ToolListChangedNotification(_) => self.list_changed(Kind::Tools),
            ServerNotification::PromptListChangedNotification(_) => {
                self.list_changed(Kind::Prompts);
            }
            ServerNotification::ResourceListChangedNotification(_) => {
                self.list_changed(Kind::Resources);
            }
            ServerNotification::ResourceUpdatedNotification(told) => {
                let (server, uri) = (self.server.to_string(), told.params.uri);
                self.settings.tell(&McpEvent::ResourceUpdated { server, uri });
            }
            other => return Ok(Some(other)),
        }
        Ok(None)
    }

    /// Counts what the server sends unasked.
    pub(crate) fn count(&self) -> Result<(), Flood> {
        let limit = self.settings.max_notifications;
        let mut rate = lock(&self.rate);
        if rate.since.elapsed() > Duration::from_secs(1) {
            *rate = Rate { since: Instant::now(), count: 0 };
        }
        rate.count += 1;
        if rate.count <= limit {
            return Ok(());
        }
        self.blame(format!("it sent more than {limit} notifications in a second"));
        Err(Flood)
    }

    fn progressed(&self, told: ProgressNotificationParam) {
        let Some(call) = self.desk.with_token(&told.progress_token) else { return };
        let progress = Progress { done: told.progress, total: told.total, message: told.message };
        if call.progressed(progress.clone()) {
            let (server, of) = (self.server.to_string(), call.of.clone());
            self.settings.tell(&McpEvent::Progress { server, of, progress });
        }
    }

    fn list_changed(&self, kind: Kind) {
        self.versions[kind as usize].fetch_add(1, Ordering::AcqRel);
        let server = self.server.to_string();
        tracing::debug!(server, ?kind, "a list of an MCP server has changed");
        self.settings.tell(&match kind {
            Kind::Tools => McpEvent::ToolsChanged { server },
            Kind::Prompts => McpEvent::PromptsChanged { server },
            Kind::Resources => McpEvent::ResourcesChanged { server },
        });
    }

    fn log(&self, level: Level, logger: Option<String>, data: serde_json::Value) {
        let server = &*self.server;
        match level {
            Level::Debug => tracing::debug!(server, logger, %data, "log of an MCP server"),
            Level::Info | Level::Notice => {
                tracing::info!(server, logger, %data, "log of an MCP server");
            }
            Level::Warning => tracing::warn!(server, logger, %data, "log of an MCP server"),
            _ => tracing::error!(server, logger, %data, "log of an MCP server"),
        }
        let server = server.to_owned();
        self.settings.tell(&McpEvent::Log { server, level, logger, data });
    }
}

/// A server that sends more than anybody could read.
#[derive(Debug)]
pub(crate) struct Flood;

/// An answer in the making.
pub(crate) struct Answering<'a>(&'a Inbox);

impl Drop for Answering<'_> {
    fn drop(&mut self) {
        self.0.answering.fetch_sub(1, Ordering::AcqRel);
    }
}
