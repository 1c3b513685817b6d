//! Spans and measurements of MCP's requests, with the names of OpenTelemetry's conventions: of those that are
//! served, and of those that are sent.

mod measured;
mod sent;
mod served;
mod session;

pub use self::sent::{NewSent, SentSpan};
pub use self::served::{NewServed, ServedSpan};
pub use self::session::{OpenSession, SessionEnd};

use tracing::level_filters::LevelFilter;

/// What stands for a method that MCP does not have.
const OTHER: &str = "_OTHER";

/// Whether somebody may listen. Not `span_enabled!`: what a filter of one layer answers to that, tracing-subscriber
/// takes for its answer to the next span.
#[inline]
pub fn is_listened_to() -> bool {
    LevelFilter::current() >= LevelFilter::INFO
        || genkit_core::internal::telemetry::installed().is_some()
}

/// What a request is about.
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

    /// What becomes part of a span's name: few enough, where they exist. URIs are too many.
    fn name(self) -> Option<&'a str> {
        self.tool().or(self.prompt())
    }

    /// Its label in metrics.
    fn label(self) -> Option<(&'static str, &'a str)> {
        match self {
            Self::Tool(name) => {
                Some(("gen_ai.tool.name", genkit_core::internal::telemetry::label(name)))
            }
            Self::Prompt(name) => {
                Some(("gen_ai.prompt.name", genkit_core::internal::telemetry::label(name)))
            }
            Self::Resource(_) | Self::Nothing => None,
        }
    }

    fn operation(self) -> Option<&'static str> {
        self.tool().map(|_| "execute_tool")
    }
}

/// What is between a client and its server.
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

/// A method as a label; what others call theirs is one.
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

/// What tells a session from others, the same on both ends: a digest, since its id opens it where nobody has a
/// token.
pub fn session_label(id: &str) -> String {
    use sha2::{Digest as _, Sha256};

    let digest = Sha256::new().chain_update(b"mcp.session.id\0").chain_update(id).finalize();
    digest[..8].iter().map(|byte| format!("{byte:02x}")).collect()
}

/// The name of a span: the method, and what it is about.
fn span_name(method: &str, target: Option<&str>) -> String {
    match target {
        Some(target) => {
            format!("{method} {}", genkit_core::internal::visible::Logged::name(target))
        }
        None => method.to_owned(),
    }
}
