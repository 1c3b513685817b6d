//! `_meta` of requests: log level, baggage, what the program adds. The trace is the connection's own.

use serde_json::{Map, Value};

use crate::session::connection::Connection;
use genkit_core::Context;
use genkit_core::internal::telemetry::{BAGGAGE, is_baggage};

/// The entry of `_meta` that MCP has for the log level.
const LOG_LEVEL: &str = "io.modelcontextprotocol/logLevel";

/// Request metadata: the `_meta` of requests to MCP servers, as a value of the run's context.
///
/// ```
/// use genkit::mcp::host::RequestMeta;
/// use genkit::testing::ScriptedModel;
///
/// # #[tokio::main(flavor = "current_thread")]
/// # async fn main() -> genkit::Result<()> {
/// genkit::generate("Which files are there?")
///     .model(ScriptedModel::text("None."))
///     .extension(RequestMeta::new([("example.com/tenant", "acme")])) // sent with each tool call
///     .await?;
/// # Ok(())
/// # }
/// ```
#[derive(Clone, Debug, Default, PartialEq)]
pub struct RequestMeta(Map<String, Value>);

impl RequestMeta {
    /// Request metadata with these entries.
    pub fn new(entries: impl IntoIterator<Item = (impl Into<String>, impl Into<Value>)>) -> Self {
        Self(entries.into_iter().map(|(key, value)| (key.into(), value.into())).collect())
    }
}

/// The `_meta` of a request.
pub(super) fn of_request(connection: &Connection, context: &Context) -> Map<String, Value> {
    let settings = &connection.session.settings;
    let mut meta = Map::new();
    if let Some(level) = settings.log_level.filter(|_| connection.is_stateless()) {
        // Without a session each request has the log level with it.
        let level =
            serde_json::to_value(genkit_mcp::internal::level::to_mcp(level)).unwrap_or_default();
        meta.insert(LOG_LEVEL.to_owned(), level);
    }
    // What the caller's trace carries goes on in the server, where that is wanted.
    if connection.traces
        && let Some(Value::String(baggage)) = context.meta().get(BAGGAGE)
        && is_baggage(baggage)
    {
        meta.insert(BAGGAGE.to_owned(), baggage.clone().into());
    }
    if let Some(RequestMeta(given)) = context.extension::<RequestMeta>() {
        meta.extend(given.clone());
    }
    if let Some(meta_from) = &settings.meta_from {
        meta.extend(meta_from(context));
    }
    meta
}
