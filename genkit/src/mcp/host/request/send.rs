//! What is asked of a server: sent again where that is safe, and answered in between where it asks back.

use std::sync::Arc;
use std::sync::atomic::Ordering;
use std::time::Duration;

use rmcp::model::{ClientRequest, InputResponses, ServerResult};
use serde_json::{Map, Value};
use tokio::time::Instant;

use super::results;
use crate::context::Context;
use crate::error::{Error, ErrorKind, Result};
use crate::mcp::host::input::input_required;
use crate::mcp::host::lifecycle::server::{Link, PATIENCE, Server};
use crate::mcp::host::limits::{MAX_ASKED, MAX_ROUNDS, PATIENT_TRIES};
use crate::mcp::host::session::connection::{Asking, Connection};
use crate::mcp::host::session::error::Fault;

/// How long a failed call waits to know why its server died.
const POST_MORTEM: Duration = Duration::from_secs(2);

/// The entry of `_meta` that MCP has for this.
const LOG_LEVEL: &str = "io.modelcontextprotocol/logLevel";

impl Server {
    /// The connection, waited for while there is hope.
    pub(crate) async fn connection(&self) -> Result<Arc<Connection>> {
        let mut links = self.link.subscribe();
        let patience = self.connect_timeout().saturating_add(PATIENCE);
        let waiting = async {
            let mut tried = false;
            loop {
                let link = links.borrow_and_update().clone();
                match link {
                    Link::Up(connection) if !connection.inbox.gone().is_cancelled() => {
                        return Ok(connection);
                    }
                    Link::Up(_) => {}
                    Link::Connecting => tried = true,
                    Link::Waiting(tries, next) => {
                        if tried || tries > PATIENT_TRIES {
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
        tokio::select! {
            connection = waiting => connection,
            () = self.elapsed(patience) => {
                let key = &self.key;
                let said = format!("the MCP server `{key}` is still not connected after {patience:?}");
                Err(Error::new(ErrorKind::DeadlineExceeded, said))
            }
        }
    }

    fn disabled(&self) -> Error {
        let said =
            format!("the MCP server `{0}` is disabled: `.enable(\"{0}\")` starts it", self.key);
        Error::new(ErrorKind::FailedPrecondition, said)
    }

    fn absent(&self, next: Option<Instant>) -> Error {
        let last = self.last_error();
        let why = match &last {
            Some(error) => error.chain(),
            None => format!("the MCP server `{}` is not there", self.key),
        };
        let next = match next {
            Some(next) => {
                let wait = next.saturating_duration_since(Instant::now());
                format!("; it is tried again in {wait:.0?}")
            }
            None => format!("; `.reconnect(\"{}\")` tries again", self.key),
        };
        let kind = last.map_or(ErrorKind::Unavailable, |error| error.kind());
        Error::new(kind, format!("{why}{next}"))
    }

    /// Asks until there is a result, answering what the server asks in between.
    ///
    /// # Errors
    /// The server is not there, refuses, or does not come to an end.
    pub(crate) async fn ask(
        &self,
        context: &Context,
        of: &str,
        print: &str,
        request: impl Fn(Option<InputResponses>, Option<String>) -> ClientRequest,
    ) -> Result<Value> {
        let (mut responses, mut state) = (None, None);
        // Whoever called may answer in another run, which goes on from the server's last question.
        let key = format!("mcp:{}:{print}", self.key);
        let mut recorded = context.recorded(&key).and_then(Asked::read);
        let first = recorded.as_ref().map_or(0, |asked| asked.round);
        for round in first..=MAX_ROUNDS {
            let mut result = match recorded.take() {
                Some(asked) => asked.result,
                None => {
                    let make = || request(responses.clone(), state.clone());
                    results::json(self.send(context, of, make).await?)?
                }
            };
            if result["resultType"] != "input_required" {
                return Ok(result);
            }
            if context.can_elicit() && crate::size::json_size(&result) <= MAX_ASKED {
                context.record(&key, Asked { round, result: result.clone() }.written());
            }
            state = result["requestState"].as_str().map(str::to_owned);
            let asked = result.get_mut("inputRequests").map(Value::take).unwrap_or_default();
            let connection = self.connection().await?;
            responses =
                input_required::answers(&connection, context, &format!("{print}:{round}"), asked)
                    .await?;
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
            // A session may be whole although one request was refused: then the others go on.
            if !fault.lost || (fault.unseen && connection.answers().await) {
                return Err(fault.error);
            }
            self.lost(&connection, &fault);
            if !std::mem::take(&mut again) || !fault.unseen {
                return Err(self.post_mortem(&connection, fault.error).await);
            }
            tracing::info!(server = %self.key, of, "asks again over a new connection");
            connection = self.connection().await?;
        }
    }

    /// A connection that is of no use any more.
    fn lost(&self, connection: &Connection, fault: &Fault) {
        if fault.unseen {
            connection.inbox.blame(fault.error.to_string());
        }
        connection.inbox.end();
        let number = connection.number;
        self.link.send_if_modified(|link| {
            let same = matches!(link, Link::Up(current) if current.number == number);
            if same {
                *link = Link::Connecting;
            }
            same
        });
    }

    /// Why the server died, where that is known a moment later.
    async fn post_mortem(&self, connection: &Connection, error: Error) -> Error {
        let buried = async {
            while self.buried.load(Ordering::Acquire) <= connection.number {
                tokio::time::sleep(Duration::from_millis(10)).await;
            }
        };
        let known = tokio::time::timeout(POST_MORTEM, buried).await.is_ok();
        match self.last_error().filter(|why| known && !error.to_string().contains(&why.to_string()))
        {
            Some(why) => Error::new(error.kind(), format!("{error}: {}", why.chain())),
            None => error,
        }
    }

    /// Nothing is known of why a connection ended but that it was wished for.
    pub(crate) fn bury_quietly(&self, connection: &Connection) {
        self.buried.store(connection.number + 1, Ordering::Release);
    }

    /// Keeps why a connection ended, for whoever still waits for it.
    pub(crate) fn bury(&self, connection: &Connection, why: Error) {
        self.note_error(Some(why));
        self.buried.store(connection.number + 1, Ordering::Release);
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

/// The last question of a server, for a later run.
struct Asked {
    round: usize,
    result: Value,
}

impl Asked {
    fn written(self) -> Value {
        serde_json::json!({ "round": self.round, "result": self.result })
    }

    fn read(mut recorded: Value) -> Option<Self> {
        let round = usize::try_from(recorded["round"].as_u64()?).ok()?;
        Some(Self { round, result: recorded["result"].take() })
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
pub struct RequestMeta(pub(crate) Map<String, Value>);

impl RequestMeta {
    /// These entries.
    pub fn new(entries: impl IntoIterator<Item = (impl Into<String>, impl Into<Value>)>) -> Self {
        Self(entries.into_iter().map(|(key, value)| (key.into(), value.into())).collect())
    }
}

fn closed(key: &str) -> Error {
    let said = format!("the MCP server `{key}` was closed with its host");
    Error::new(ErrorKind::Cancelled, said)
}
