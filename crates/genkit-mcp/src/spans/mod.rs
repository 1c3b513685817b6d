//! Spans and metrics of MCP requests, both served and sent, named after OpenTelemetry's semantic conventions.

mod measured;
mod sent;
mod served;
mod session;

pub use self::sent::{NewSent, SentSpan};
pub use self::served::{NewServed, ServedSpan};
pub use self::session::{OpenSession, SessionEnd};

use tracing::level_filters::LevelFilter;

/// The label for a method that MCP does not define.
const OTHER: &str = "_OTHER";

/// Returns whether a subscriber or exporter may be listening. Does not use `span_enabled!`: with a per-layer filter,
/// tracing-subscriber would cache its result and apply it to the next span.
#[inline]
pub fn has_listener() -> bool {
    LevelFilter::current() >= LevelFilter::INFO
        || genkit_core::internal::telemetry::installed_telemetry().is_some()
}

/// The item that a request is about.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Target<'a> {
    Nothing,
    Tool(&'a str),
    Prompt(&'a str),
    Resource(&'a str),
}

impl<'a> Target<'a> {
    fn tool(self) -> Option<&'a str> {
        if let Self::Tool(name) = self { Some(name) } else { None }
    }

    fn prompt(self) -> Option<&'a str> {
        if let Self::Prompt(name) = self { Some(name) } else { None }
    }

    fn resource(self) -> Option<&'a str> {
        if let Self::Resource(uri) = self { Some(uri) } else { None }
    }

    /// Returns the part that is included in the span's name. URIs are excluded, because there are too many of them.
    fn name(self) -> Option<&'a str> {
        self.tool().or(self.prompt())
    }

    /// Returns the label for metrics.
    fn label(self) -> Option<(&'static str, &'a str)> {
        match self {
            Self::Tool(name) => {
                Some(("gen_ai.tool.name", genkit_core::internal::telemetry::metric_label(name)))
            }
            Self::Prompt(name) => {
                Some(("gen_ai.prompt.name", genkit_core::internal::telemetry::metric_label(name)))
            }
            Self::Resource(_) | Self::Nothing => None,
        }
    }

    fn operation(self) -> Option<&'static str> {
        self.tool().map(|_| "execute_tool")
    }
}

/// The kind of connection between a client and its server.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Network {
    Pipe,
    Http,
}

impl Network {
    fn transport(self) -> &'static str {
        match self {
            Self::Pipe => "pipe",
            Self::Http => "tcp",
        }
    }

    fn protocol(self) -> Option<&'static str> {
        (self == Self::Http).then_some("http")
    }
}

/// Returns a method as a label. All methods that MCP does not define have the same label.
pub fn method_name(method: &str) -> &'static str {
    #[rustfmt::skip]
    const METHODS: [&str; 18] = [
        "initialize", "server/discover", "ping", "tools/list", "tools/call", "prompts/list",
        "prompts/get", "resources/list", "resources/templates/list", "resources/read",
        "resources/subscribe", "resources/unsubscribe", "completion/complete", "logging/setLevel",
        "subscriptions/listen", "elicitation/create", "sampling/createMessage", "roots/list",
    ];
    METHODS.into_iter().find(|known| *known == method).unwrap_or(OTHER)
}

/// Returns a label for a session that is the same on both sides. It is a digest, because the id alone gives access to
/// the session if clients have no tokens.
pub fn session_label(id: &str) -> String {
    use sha2::{Digest as _, Sha256};

    let digest = Sha256::new().chain_update(b"mcp.session.id\0").chain_update(id).finalize();
    digest[..8].iter().map(|byte| format!("{byte:02x}")).collect()
}

/// Returns the name of a span: the method and the item.
fn span_name(method: &str, target: Option<&str>) -> String {
    match target {
        Some(target) => {
            format!("{method} {}", genkit_core::internal::visible::Logged::name(target))
        }
        None => method.to_owned(),
    }
}
