//! One server of a host: its connection, as it comes and goes, and what is asked over it.

use std::collections::{BTreeMap, BTreeSet};
use std::sync::atomic::{AtomicBool, AtomicU64, Ordering};
use std::sync::{Arc, Mutex, RwLock};
use std::time::Duration;

use tokio::sync::watch;
use tokio::time::Instant;
use tokio_util::sync::CancellationToken;

use crate::context::Root;
use crate::error::Error;
use crate::mcp::host::catalog::Catalog;
use crate::mcp::host::config::ServerConfig;
use crate::mcp::host::event::McpEvent;
use crate::mcp::host::limits::SLOW_REST;
use crate::mcp::host::session::connection::Connection;
use crate::mcp::host::session::notifications::Kind;
use crate::mcp::host::settings::Settings;
use crate::mcp::host::status::{ServerState, ServerStatus};
use crate::sync::{lock, read, write};

/// How long the end or the beginning of a connection is waited for.
pub(crate) const PATIENCE: Duration = Duration::from_secs(10);

/// How the connection is.
#[derive(Clone)]
pub(crate) enum Link {
    Disabled,
    Connecting,
    Up(Arc<Connection>),
    /// Not there since so many tries, and tried again then.
    Waiting(u32, Instant),
    Failed,
    Closed,
}

impl Link {
    pub(crate) fn state(&self) -> ServerState {
        match self {
            Self::Disabled => ServerState::Disabled,
            Self::Connecting => ServerState::Connecting,
            Self::Up(_) => ServerState::Connected,
            Self::Waiting(..) => ServerState::Waiting,
            Self::Failed => ServerState::Failed,
            Self::Closed => ServerState::Closed,
        }
    }
}

/// What the connection shall be.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub(crate) struct Wish {
    pub(crate) want: Want,
    /// Grows where a waiting connection shall be tried now.
    pub(crate) pokes: u64,
    /// Grows where a connection shall be made anew.
    pub(crate) resets: u64,
}

#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub(crate) enum Want {
    #[default]
    Up,
    Down,
    Closed,
}

/// One server of a host.
pub(crate) struct Server {
    pub(crate) key: Arc<str>,
    pub(crate) settings: Arc<Settings>,
    pub(crate) config: ServerConfig,
    pub(crate) link: watch::Sender<Link>,
    pub(crate) wish: watch::Sender<Wish>,
    pub(crate) catalog: Catalog,
    /// It is known not to understand the newest protocol.
    pub(crate) is_old: AtomicBool,
    #[cfg(feature = "mcp-host-http")]
    pub(crate) connector: tokio::sync::OnceCell<crate::mcp::host::transport::http::Connector>,
    last_error: Mutex<Option<Arc<Error>>>,
    /// Its own folders, where they are not those of the host.
    pub(crate) roots: Arc<RwLock<Option<Vec<Root>>>>,
    /// The resources that are to be heard of, over whatever connection.
    pub(crate) watched: watch::Sender<BTreeSet<String>>,
    notices: Mutex<BTreeMap<&'static str, Vec<String>>>,
    /// What was said last of its being left out.
    said: Mutex<[Option<String>; 3]>,
    /// Until when lists do not wait for it.
    slow_until: Mutex<[Option<Instant>; 3]>,
    /// How often a connection was begun.
    attempts: AtomicU64,
    /// The connections before this one have ended, and why is known.
    pub(crate) buried: AtomicU64,
    /// The supervisor has ended, and with it the process.
    pub(crate) ended: CancellationToken,
    /// When it was wished for.
    started: Mutex<Instant>,
    wanting: Mutex<()>,
}

impl Server {
    pub(crate) fn new(key: &str, config: ServerConfig, settings: Arc<Settings>) -> Self {
        let (link, want) = match config.controls.disabled {
            true => (Link::Disabled, Want::Down),
            false => (Link::Connecting, Want::Up),
        };
        Self {
            key: key.into(),
            settings,
            roots: Arc::new(RwLock::new(config.controls.roots.clone())),
            config,
            link: watch::Sender::new(link),
            wish: watch::Sender::new(Wish { want, ..Wish::default() }),
            catalog: Catalog::default(),
            is_old: AtomicBool::new(false),
            #[cfg(feature = "mcp-host-http")]
            connector: tokio::sync::OnceCell::new(),
            last_error: Mutex::new(None),
            watched: watch::Sender::default(),
            notices: Mutex::default(),
            said: Mutex::default(),
            slow_until: Mutex::default(),
            attempts: AtomicU64::new(0),
            buried: AtomicU64::new(0),
            ended: CancellationToken::new(),
            started: Mutex::new(Instant::now()),
            wanting: Mutex::new(()),
        }
    }

    /// How long its start and the handshake may take.
    pub(crate) fn connect_timeout(&self) -> Duration {
        self.config.controls.connect_timeout.unwrap_or(self.settings.connect_timeout)
    }

    /// Resolves after `limit`, not counting the time in which a person is asked to sign in.
    pub(crate) async fn elapsed(&self, limit: Duration) {
        const TICK: Duration = Duration::from_millis(100);
        let mut left = limit;
        while !left.is_zero() {
            let tick = left.min(TICK);
            tokio::time::sleep(tick).await;
            if !self.is_signing_in() {
                left -= tick;
            }
        }
    }

    /// Whether it kept the others waiting a moment ago.
    pub(crate) fn is_slow(&self, kind: Kind) -> bool {
        lock(&self.slow_until)[kind as usize].is_some_and(|until| Instant::now() < until)
    }

    /// It kept the others waiting: for a while it does not get the chance.
    pub(crate) fn note_slow(&self, kind: Kind) {
        lock(&self.slow_until)[kind as usize] = Instant::now().checked_add(SLOW_REST);
    }

    /// The connection, if it is there now.
    pub(crate) fn up(&self) -> Option<Arc<Connection>> {
        match &*self.link.borrow() {
            Link::Up(connection) if !connection.inbox.gone().is_cancelled() => {
                Some(Arc::clone(connection))
            }
            _ => None,
        }
    }

    /// Whether it can be asked now.
    pub(crate) fn is_usable(&self) -> bool {
        self.up().is_some()
    }

    /// Whether results stay as MCP has them.
    pub(crate) fn is_raw(&self) -> bool {
        self.config.controls.raw.unwrap_or(self.settings.raw)
    }

    pub(crate) fn is_disabled(&self) -> bool {
        matches!(&*self.link.borrow(), Link::Disabled)
    }

    /// Whether lists still wait for its first connection.
    pub(crate) fn is_starting(&self) -> bool {
        lock(&self.started).elapsed() < self.settings.startup
    }

    pub(crate) fn has_own_roots(&self) -> bool {
        read(&self.roots).is_some()
    }

    pub(crate) fn set_roots(&self, roots: Vec<Root>) {
        *write(&self.roots) = Some(roots);
    }

    /// Whether a person is being asked to sign in.
    pub(crate) fn is_signing_in(&self) -> bool {
        #[cfg(feature = "mcp-host-http")]
        return self.connector.get().is_some_and(|connector| *connector.busy().borrow());
        #[cfg(not(feature = "mcp-host-http"))]
        false
    }

    pub(crate) fn last_error(&self) -> Option<Arc<Error>> {
        lock(&self.last_error).clone()
    }

    pub(crate) fn note_error(&self, error: Option<Error>) {
        *lock(&self.last_error) = error.map(Arc::new);
    }

    /// Keeps what of a list is left out, and says it once.
    pub(crate) fn note(&self, of: &'static str, said: Vec<String>) {
        let mut notices = lock(&self.notices);
        let known = notices.get(of).map(Vec::as_slice).unwrap_or_default();
        for new in said.iter().filter(|said| !known.contains(said)) {
            tracing::warn!(server = %self.key, "{new}");
        }
        notices.insert(of, said);
    }

    /// Whether it is new that it is left out for this reason; `None` is that it is there.
    pub(crate) fn silence(&self, kind: Kind, why: Option<&str>) -> bool {
        let said = &mut lock(&self.said)[kind as usize];
        let new = said.as_deref() != why;
        *said = why.map(str::to_owned);
        new
    }

    pub(crate) fn set(&self, link: Link) {
        let state = link.state();
        if state == ServerState::Connected {
            *lock(&self.slow_until) = Default::default();
        }
        if state == ServerState::Connecting {
            self.attempts.fetch_add(1, Ordering::AcqRel);
        }
        let mut changed = false;
        self.link.send_modify(|now| {
            changed = now.state() != state;
            *now = link;
        });
        if changed {
            tracing::info!(server = %self.key, %state, "an MCP server changed its state");
            let server = self.key.to_string();
            self.settings.tell(&McpEvent::State { server, state });
        }
    }

    /// Tries a waiting connection now.
    pub(crate) fn poke(&self) {
        self.wish.send_modify(|wish| wish.pokes += 1);
    }

    pub(crate) fn want(&self, want: Want) {
        let _one_by_one = lock(&self.wanting);
        let now = self.wish.borrow().want;
        if now == want || now == Want::Closed {
            return;
        }
        if want == Want::Up {
            *lock(&self.started) = Instant::now();
        }
        // Whoever asks from now on is told so, whether the supervisor knows it yet or not.
        self.set(match want {
            Want::Up => Link::Connecting,
            Want::Down => Link::Disabled,
            Want::Closed => Link::Closed,
        });
        // What was wished for in between counts too: the old connection ends in any case.
        self.wish.send_modify(|wish| {
            wish.want = want;
            wish.resets += 1;
        });
    }

    /// Makes the connection anew; resolves when that has begun.
    pub(crate) async fn reset(&self) {
        let before = self.attempts.load(Ordering::Acquire);
        self.wish.send_modify(|wish| wish.resets += 1);
        let mut links = self.link.subscribe();
        let begun = links.wait_for(|_| self.attempts.load(Ordering::Acquire) > before);
        let _ = tokio::time::timeout(PATIENCE, begun).await;
    }

    /// Waits until it is connected or has failed once.
    pub(crate) async fn settled(&self) {
        let mut links = self.link.subscribe();
        let settled = links.wait_for(|link| !matches!(link, Link::Connecting));
        tokio::select! {
            _ = settled => {}
            () = self.elapsed(self.connect_timeout().saturating_add(PATIENCE)) => {}
        }
    }

    /// Ends the connection and the process behind it.
    pub(crate) async fn close(&self) {
        self.want(Want::Closed);
        if tokio::time::timeout(PATIENCE, self.ended.cancelled()).await.is_err() {
            tracing::warn!(server = %self.key, "an MCP server takes too long to end");
        }
    }

    /// Tells a session that its folders are others.
    pub(crate) async fn roots_changed(&self) {
        let link = self.link.borrow().clone();
        if let Link::Up(connection) = link
            && !connection.is_stateless()
        {
            // A server that is gone asks for them when it is back.
            let _ = connection.peer.notify_roots_list_changed().await;
        }
    }

    pub(crate) fn status(&self) -> ServerStatus {
        let link = self.link.borrow().clone();
        let info = match &link {
            Link::Up(connection) => Some(&connection.info),
            _ => None,
        };
        let named = info.and_then(|info| info.server_info.as_ref());
        ServerStatus {
            server: self.key.to_string(),
            state: link.state(),
            last_error: self.last_error().map(|error| error.chain()),
            retry_in: match link {
                Link::Waiting(_, next) => Some(next.saturating_duration_since(Instant::now())),
                _ => None,
            },
            protocol_version: info.map(|info| info.protocol_version.to_string()),
            server_name: named.map(|server| format!("{} {}", server.name, server.version)),
            instructions: info.and_then(|info| info.instructions.clone()),
            notices: lock(&self.notices).values().flatten().cloned().collect(),
        }
    }
}
