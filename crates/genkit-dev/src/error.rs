//! The errors of the developer tools.

use genkit_core::ErrorKind;
use genkit_core::internal::error::Topic;

#[derive(Debug, thiserror::Error)]
pub(super) enum Error {
    // Running an action by its key.
    #[error("action {0} not found")]
    UnknownAction(String),
    #[error("the input of {key} is not valid: {misfit}")]
    Input { key: String, misfit: String },
    #[error("`{uri}` does not match `{template}`, the URI of {key}")]
    OtherResource { key: String, uri: String, template: String },
    #[error(
        "{key} asks \"{question}\", which cannot be answered here; run it from a flow, or by a model with \
         /util/generate, whose response contains the question as an interrupt"
    )]
    Asks { key: String, question: String, interrupt: serde_json::Value },
    #[error("the action returned no result, because code outside the action panicked; see the log")]
    Lost,
    #[error("Action was cancelled")]
    Cancelled,
    #[error("the limit of {running} running actions is reached; wait until one finishes")]
    TooMany { running: usize },
    #[error(
        "{key} sent more than {limit} bytes of chunks without waiting; add an `.await` between the chunks"
    )]
    ChunksTooFast { key: String, limit: usize },
    #[error("failed to serialize the result of {key} to JSON")]
    Result {
        key: String,
        #[source]
        source: serde_json::Error,
    },

    // Listening.
    #[error(
        "GENKIT_REFLECTION_PORT=`{0}` is not a port; set a number from 1 to 65535, or unset it"
    )]
    Port(String),
    #[error(
        "the developer tools cannot listen on 127.0.0.1:{port}; free the port, or unset GENKIT_REFLECTION_PORT"
    )]
    Listen {
        port: u16,
        #[source]
        source: std::io::Error,
    },
    #[error(
        "cannot write {path}, where Genkit's tools look for this program; make the folder writable"
    )]
    RuntimeFile {
        path: String,
        #[source]
        source: std::io::Error,
    },
    #[error(
        "GENKIT_REFLECTION_V2_SERVER=`{0}` is not a WebSocket URL; expected a URL such as `ws://localhost:3200`; \
         `genkit start --experimental-reflection-v2` sets it"
    )]
    ServerUrl(String),
    #[error("no async runtime is running; call `genkit::dev::start` from `#[tokio::main]`")]
    MissingRuntime,
}

impl Topic for Error {
    fn kind(&self) -> ErrorKind {
        match self {
            Self::UnknownAction(_) | Self::OtherResource { .. } => ErrorKind::NotFound,
            Self::Input { .. } | Self::Port(_) | Self::ServerUrl(_) => ErrorKind::InvalidArgument,
            Self::Asks { .. } | Self::MissingRuntime => ErrorKind::FailedPrecondition,
            Self::Cancelled => ErrorKind::Cancelled,
            Self::TooMany { .. } | Self::ChunksTooFast { .. } => ErrorKind::ResourceExhausted,
            Self::Result { .. } | Self::Lost => ErrorKind::Internal,
            Self::Listen { .. } | Self::RuntimeFile { .. } => ErrorKind::Unavailable,
        }
    }

    fn details(&self) -> Option<serde_json::Value> {
        match self {
            Self::Asks { interrupt, .. } => Some(serde_json::json!({ "interrupt": interrupt })),
            _ => None,
        }
    }
}
