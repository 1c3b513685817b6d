//! The `_meta` of requests: log level, baggage, and the program's own entries. The connection adds the trace context.

use serde_json::{Map, Value};

use crate::session::connection::Connection;
use genkit_core::Context;
use genkit_core::internal::telemetry::{BAGGAGE, is_baggage};

/// The `_meta` key of the log level.
const LOG_LEVEL: &str = "io.modelcontextprotocol/logLevel";

/// Request metadata: the `_meta` of requests to MCP servers, set in the context of a run.
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
    /// Creates request metadata with these entries.
    pub fn new(entries: impl IntoIterator<Item = (impl Into<String>, impl Into<Value>)>) -> Self {
        Self(entries.into_iter().map(|(key, value)| (key.into(), value.into())).collect())
    }
}

/// Returns the `_meta` of a request.
pub(super) fn request_meta(connection: &Connection, context: &Context) -> Map<String, Value> {
    let settings = &connection.session.settings;
    let mut meta = Map::new();
    if let Some(level) = settings.log_level.filter(|_| connection.is_stateless()) {
        // Without a session, each request contains the log level.
        let level =
            serde_json::to_value(genkit_mcp::internal::level::to_mcp(level)).unwrap_or_default();
        meta.insert(LOG_LEVEL.to_owned(), level);
    }
    // The baggage of the caller is passed on only if configured.
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
