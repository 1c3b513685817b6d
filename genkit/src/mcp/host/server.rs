//! One server of a host: its connection, as it comes and goes, and what is asked over it.

use std::collections::{BTreeMap, BTreeSet};
use std::sync::atomic::{AtomicBool, AtomicU64, Ordering};
use std::sync::{Arc, Mutex, MutexGuard, PoisonError};
use std::time::Duration;

use rmcp::model::{ClientRequest, InputResponses, ServerResult};
use serde_json::{Map, Value};
use tokio::sync::watch;
use tokio::time::Instant;
use tokio_util::sync::CancellationToken;

use super::catalog::Catalog;
use super::config::ServerConfig;
use super::connection::{Asking, Connection};
use super::event::McpEvent;
use super::fault::Fault;
use super::inputs;
use super::limits::{MAX_ROUNDS, PATIENT_TRIES};
use super::settings::Settings;
use super::status::{ServerState, ServerStatus};
use crate::context::{Context, Root};
use crate::error::{Error, ErrorKind, Result};

/// How long the end or the beginning of a connection is waited for.
const PATIENCE: Duration = Duration::from_secs(10);

/// The entry of `_meta` that MCP has for this.
const LOG_LEVEL: &str = "io.modelcontextprotocol/logLevel";

/// How the connection is.
#[derive(Clone)]
pub(super) enum Link {
    Disabled,
    Connecting,
    Up(Arc<Connection>),
    /// Not there since so many tries, and tried again then.
    Waiting(u32, Instant),
    Failed,
    Closed,
}

impl Link {
    pub(super) fn state(&self) -> ServerState {
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
pub(super) struct Wish {
    pub(super) want: Want,
    /// Grows where a waiting connection shall be tried now.
    pub(super) pokes: u64,
    /// Grows where a connection shall be made anew.
    pub(super) resets: u64,
}

#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub(super) enum Want {
    #[default]
    Up,
    Down,
    Closed,
}

/// One server of a host.
pub(super) struct Server {
    pub(super) key: Arc<str>,
    pub(super) settings: Arc<Settings>,
    pub(super) config: ServerConfig,
    pub(super) link: watch::Sender<Link>,
    pub(super) wish: watch::Sender<Wish>,
    pub(super) catalog: Catalog,
    /// It is known not to understand the newest protocol.
    pub(super) is_old: AtomicBool,
    #[cfg(feature = "mcp-host-http")]
    pub(super) connector: tokio::sync::OnceCell<super::http::Connector>,
    last_error: Mutex<Option<Arc<Error>>>,
    roots: Mutex<Option<Vec<Root>>>,
    /// The resources that are to be heard of, over whatever connection.
    pub(super) watched: watch::Sender<BTreeSet<String>>,
    notices: Mutex<BTreeMap<&'static str, Vec<String>>>,
    /// What was said last of its being left out.
    said: Mutex<Option<String>>,
    /// How often a connection was begun.
    attempts: AtomicU64,
    /// The supervisor has ended, and with it the process.
    pub(super) ended: CancellationToken,
    started: Instant,
}

impl Server {
    pub(super) fn new(key: &str, config: ServerConfig, settings: Arc<Settings>) -> Self {
        let (link, want) = match config.controls.disabled {
            true => (Link::Disabled, Want::Down),
            false => (Link::Connecting, Want::Up),
        };
        Self {
            key: key.into(),
            settings,
            roots: Mutex::new(config.controls.roots.clone()),
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
            said: Mutex::new(None),
            attempts: AtomicU64::new(0),
            ended: CancellationToken::new(),
            started: Instant::now(),
        }
    }

    /// Whether it can be asked now.
    pub(super) fn is_usable(&self) -> bool {
        match &*self.link.borrow() {
            Link::Up(connection) => !connection.inbox.gone().is_cancelled(),
            _ => false,
        }
    }

    pub(super) fn is_disabled(&self) -> bool {
        matches!(&*self.link.borrow(), Link::Disabled)
    }

    /// Whether lists still wait for its first connection.
    pub(super) fn is_starting(&self) -> bool {
        self.started.elapsed() < self.settings.startup
    }

    pub(super) fn roots(&self) -> Option<Vec<Root>> {
        lock(&self.roots).clone()
    }

    pub(super) fn set_roots(&self, roots: Vec<Root>) {
        *lock(&self.roots) = Some(roots);
    }

    /// Whether a person is being asked to sign in.
    pub(super) fn is_signing_in(&self) -> bool {
        #[cfg(feature = "mcp-host-http")]
        return self.connector.get().is_some_and(|connector| *connector.busy().borrow());
        #[cfg(not(feature = "mcp-host-http"))]
        false
    }

    pub(super) fn last_error(&self) -> Option<Arc<Error>> {
        lock(&self.last_error).clone()
    }

    pub(super) fn note_error(&self, error: Option<Error>) {
        *lock(&self.last_error) = error.map(Arc::new);
    }

    /// Keeps what of a list is left out, and says it once.
    pub(super) fn note(&self, of: &'static str, said: Vec<String>) {
        let mut notices = lock(&self.notices);
        let known = notices.get(of).map(Vec::as_slice).unwrap_or_default();
        for new in said.iter().filter(|said| !known.contains(said)) {
            tracing::warn!(server = %self.key, "{new}");
        }
        notices.insert(of, said);
    }

    /// Whether it is new that it is left out for this reason; `None` is that it is there.
    pub(super) fn silence(&self, why: Option<&str>) -> bool {
        let mut said = lock(&self.said);
        let new = said.as_deref() != why;
        *said = why.map(str::to_owned);
        new
    }

    pub(super) fn set(&self, link: Link) {
        let state = link.state();
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
    pub(super) fn poke(&self) {
        self.wish.send_modify(|wish| wish.pokes += 1);
    }

    pub(super) fn want(&self, want: Want) {
        let changed = self.wish.send_if_modified(|wish| {
            let changes = wish.want != want && wish.want != Want::Closed;
            if changes {
                wish.want = want;
            }
            changes
        });
        // Whoever asks from now on is told so, whether the supervisor knows it yet or not.
        if changed {
            self.set(match want {
                Want::Up => Link::Connecting,
                Want::Down => Link::Disabled,
                Want::Closed => Link::Closed,
            });
        }
    }

    /// Makes the connection anew; resolves when that has begun.
    pub(super) async fn reset(&self) {
        let before = self.attempts.load(Ordering::Acquire);
        self.wish.send_modify(|wish| wish.resets += 1);
        let mut links = self.link.subscribe();
        let begun = links.wait_for(|_| self.attempts.load(Ordering::Acquire) > before);
        let _ = tokio::time::timeout(PATIENCE, begun).await;
    }

    /// Waits until it is connected or has failed once.
    pub(super) async fn settled(&self) {
        let limit = self.config.controls.connect_timeout.unwrap_or(self.settings.connect_timeout);
        let mut links = self.link.subscribe();
        let settled = links.wait_for(|link| !matches!(link, Link::Connecting));
        let _ = tokio::time::timeout(limit + PATIENCE, settled).await;
    }

    /// Ends the connection and the process behind it.
    pub(super) async fn close(&self) {
        self.want(Want::Closed);
        if tokio::time::timeout(PATIENCE, self.ended.cancelled()).await.is_err() {
            tracing::warn!(server = %self.key, "an MCP server takes too long to end");
        }
    }

    /// Tells a session that its folders are others.
    pub(super) async fn roots_changed(&self) {
        let link = self.link.borrow().clone();
        if let Link::Up(connection) = link
            && !connection.is_stateless()
        {
            // A server that is gone asks for them when it is back.
            let _ = connection.peer.notify_roots_list_changed().await;
        }
    }

    pub(super) fn status(&self) -> ServerStatus {
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

    /// The connection, waited for while there is hope.
    pub(super) async fn connection(&self) -> Result<Arc<Connection>> {
        let mut links = self.link.subscribe();
        let patience =
            self.config.controls.connect_timeout.unwrap_or(self.settings.connect_timeout);
        let patience = patience.saturating_add(Duration::from_secs(1));
        let waiting = async {
            loop {
                let link = links.borrow_and_update().clone();
                match link {
                    Link::Up(connection) if !connection.inbox.gone().is_cancelled() => {
                        return Ok(connection);
                    }
                    Link::Up(_) | Link::Connecting => {}
                    Link::Waiting(tries, next) => {
                        if tries > PATIENT_TRIES {
                            return Err(self.absent(Some(next)));
                        }
                        self.poke();
                    }
                    Link::Disabled => return Err(self.disabled()),
                    Link::Failed => return Err(self.absent(None)),
                    Link::Closed => return Err(closed(&self.key)),
                }
                if links.changed().await.is_err() {
                    return Err(closed(&self.key));
                }
            }
        };
        tokio::time::timeout(patience, waiting).await.unwrap_or_else(|_| {
            let said =
                format!("the MCP server `{}` is still not connected after {patience:?}", self.key);
            Err(Error::new(ErrorKind::DeadlineExceeded, said))
        })
    }

    fn disabled(&self) -> Error {
        let said =
            format!("the MCP server `{0}` is disabled: `.enable(\"{0}\")` starts it", self.key);
        Error::new(ErrorKind::FailedPrecondition, said)
    }

    fn absent(&self, next: Option<Instant>) -> Error {
        let why = self.last_error().map(|error| format!(": {}", error.chain())).unwrap_or_default();
        let next = match next {
            Some(next) => {
                let wait = next.saturating_duration_since(Instant::now());
                format!("; it is tried again in {wait:.0?}")
            }
            None => format!("; `.reconnect(\"{}\")` tries again", self.key),
        };
        let said = format!("the MCP server `{}` is not there{why}{next}", self.key);
        Error::new(ErrorKind::Unavailable, said)
    }

    /// Asks until there is a result, answering what the server asks in between.
    ///
    /// # Errors
    /// The server is not there, refuses, or does not come to an end.
    pub(super) async fn ask(
        &self,
        context: &Context,
        of: &str,
        request: impl Fn(Option<InputResponses>, Option<String>) -> ClientRequest,
    ) -> Result<Value> {
        let (mut responses, mut state) = (None, None);
        for round in 0..=MAX_ROUNDS {
            // Whoever called may answer in another run, which goes on from the server's question.
            let key = format!("mcp:{}:{of}:{round}", self.key);
            let mut result = match context.recorded(&key) {
                Some(result) => result,
                None => {
                    let make = || request(responses.clone(), state.clone());
                    serde_json::to_value(self.send(context, of, make).await?)?
                }
            };
            if result["resultType"] != "input_required" {
                return Ok(result);
            }
            if context.can_elicit() {
                context.record(&key, result.clone());
            }
            state = result["requestState"].as_str().map(str::to_owned);
            let asked = result.get_mut("inputRequests").map(Value::take).unwrap_or_default();
            let connection = self.connection().await?;
            responses =
                inputs::answers(&connection, context, &format!("{of}:{round}"), asked).await?;
        }
        let said = format!(
            "the MCP server `{}` answered `{of}` with questions {MAX_ROUNDS} times",
            self.key
        );
        Err(Error::new(ErrorKind::Aborted, said))
    }

    /// Sends one request, twice if the first never reached a server that is there again.
    async fn send(
        &self,
        context: &Context,
        of: &str,
        request: impl Fn() -> ClientRequest,
    ) -> Result<ServerResult> {
        let mut connection = self.connection().await?;
        let mut again = true;
        loop {
            let meta = self.meta(&connection, context);
            let asking = Asking { request: request(), of, context, meta };
            let fault = match connection.ask(asking).await {
                Ok(result) => return Ok(result),
                Err(fault) => fault,
            };
            if !fault.lost {
                return Err(fault.error);
            }
            self.lost(&connection, &fault);
            if !std::mem::take(&mut again) || !fault.unseen {
                return Err(self.post_mortem(fault.error).await);
            }
            tracing::info!(server = %self.key, of, "asks again over a new connection");
            connection = self.connection().await?;
        }
    }

    /// A connection that is of no use any more.
    fn lost(&self, connection: &Connection, fault: &Fault) {
        connection.inbox.end();
        let number = connection.number;
        self.link.send_if_modified(|link| {
            let same = matches!(link, Link::Up(current) if current.number == number);
            if same {
                self.note_error(Some(Error::new(fault.error.kind(), fault.error.chain())));
                *link = Link::Connecting;
            }
            same
        });
    }

    /// Why the server died, where that is known a moment later.
    async fn post_mortem(&self, error: Error) -> Error {
        tokio::time::sleep(Duration::from_millis(50)).await;
        match self.last_error() {
            Some(why) if why.to_string() != error.to_string() => {
                Error::new(error.kind(), format!("{error} ({})", why.chain()))
            }
            _ => error,
        }
    }

    /// The `_meta` of a request.
    fn meta(&self, connection: &Connection, context: &Context) -> Map<String, Value> {
        let mut meta = Map::new();
        if let Some(level) = self.settings.log_level.filter(|_| connection.is_stateless()) {
            // Without a session each request says what it wants to hear.
            let level = serde_json::to_value(crate::mcp::level::to_mcp(level)).unwrap_or_default();
            meta.insert(LOG_LEVEL.to_owned(), level);
        }
        // Traces go on in the server.
        for key in ["traceparent", "tracestate", "baggage"] {
            if let Some(value) = context.meta().get(key) {
                meta.insert(key.to_owned(), value.clone());
            }
        }
        if let Some(RequestMeta(given)) = context.get::<RequestMeta>() {
            meta.extend(given.clone());
        }
        if let Some(meta_from) = &self.settings.meta_from {
            meta.extend(meta_from(context));
        }
        meta
    }
}

/// The `_meta` of requests to MCP servers, as a value of the run's context.
///
/// ```
/// use genkit::mcp::RequestMeta;
/// use genkit::testing::ScriptedModel;
///
/// # #[tokio::main(flavor = "current_thread")]
/// # async fn main() -> genkit::Result<()> {
/// genkit::generate("Which files are there?")
///     .model(ScriptedModel::text("None."))
///     .context(RequestMeta::new([("example.com/tenant", "acme")])) // sent with each tool call
///     .await?;
/// # Ok(())
/// # }
/// ```
#[derive(Clone, Debug, Default, PartialEq)]
pub struct RequestMeta(pub(super) Map<String, Value>);

impl RequestMeta {
    /// These entries.
    pub fn new(entries: impl IntoIterator<Item = (impl Into<String>, impl Into<Value>)>) -> Self {
        Self(entries.into_iter().map(|(key, value)| (key.into(), value.into())).collect())
    }
}

pub(super) fn closed(key: &str) -> Error {
    let said = format!("the MCP server `{key}` was closed with its host");
    Error::new(ErrorKind::Cancelled, said)
}

fn lock<T>(mutex: &Mutex<T>) -> MutexGuard<'_, T> {
    mutex.lock().unwrap_or_else(PoisonError::into_inner)
}
