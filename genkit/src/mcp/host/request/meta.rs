//! `_meta` of requests: log level, traces, what the program adds.

use serde_json::{Map, Value};

use crate::context::Context;
use crate::mcp::host::session::connection::Connection;

/// The entry of `_meta` that MCP has for the log level.
const LOG_LEVEL: &str = "io.modelcontextprotocol/logLevel";

/// What carries a trace on.
const TRACE_CONTEXT: [&str; 3] = ["traceparent", "tracestate", "baggage"];

/// The `_meta` of requests to MCP servers, as a value of the run's context.
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
    /// These entries.
    pub fn new(entries: impl IntoIterator<Item = (impl Into<String>, impl Into<Value>)>) -> Self {
        Self(entries.into_iter().map(|(key, value)| (key.into(), value.into())).collect())
    }
}

/// The `_meta` of a request.
pub(super) fn of_request(connection: &Connection, context: &Context) -> Map<String, Value> {
    let settings = &connection.session.settings;
    let traces = connection.traces;
    let mut meta = Map::new();
    if let Some(level) = settings.log_level.filter(|_| connection.is_stateless()) {
        // Without a session each request has the log level with it.
        let level = serde_json::to_value(crate::mcp::level::to_mcp(level)).unwrap_or_default();
        meta.insert(LOG_LEVEL.to_owned(), level);
    }
    // Traces go on in the server, where that is wanted.
    for key in TRACE_CONTEXT.into_iter().filter(|_| traces) {
        if let Some(value) = context.meta().get(key) {
            meta.insert(key.to_owned(), value.clone());
        }
    }
    if let Some(RequestMeta(given)) = context.extension::<RequestMeta>() {
        meta.extend(given.clone());
    }
    if let Some(meta_from) = &settings.meta_from {
        meta.extend(meta_from(context));
    }
    meta
}
