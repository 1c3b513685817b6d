//! The error messages of actions: arguments, injected parameters, results.

use serde_json::{Value, json};

use crate::error::{ErrorKind, Topic};

#[derive(Debug, thiserror::Error)]
pub enum Error {
    // Input.
    #[error("{0}")]
    Arguments(String),
    #[error("at `{place}`: {message}")]
    ArgumentsAt { place: String, message: String },
    #[error("the input has no `serde::Deserialize`")]
    NoDeserialize,

    #[error("`{argument}` of the tool `{tool}` cannot be fixed: {why}")]
    FixedArgument { tool: String, argument: String, why: String },

    // Injected parameters.
    #[error("no state of type `{0}` was given: call `.state(..)`")]
    NoState(&'static str),
    #[error(
        "the request brings no `{0}`: who calls is known where `.authenticate(..)` or a layer of the \
         app finds it out, or `.extension(..)` gives one to every request"
    )]
    NoExtension(&'static str),
    #[error("this type cannot be state")]
    CannotBeState,
    #[error("a chunk does not serialize to JSON")]
    Chunk(#[source] serde_json::Error),

    // Results.
    #[error("the result does not serialize to JSON")]
    Output(#[source] serde_json::Error),
    #[error("Resource not found: {0}")]
    ResourceNotFound(String),
}

impl Topic for Error {
    fn kind(&self) -> ErrorKind {
        match self {
            Self::Arguments(_) | Self::ArgumentsAt { .. } | Self::FixedArgument { .. } => {
                ErrorKind::InvalidArgument
            }
            Self::NoState(_) => ErrorKind::FailedPrecondition,
            Self::NoExtension(_) => ErrorKind::Unauthenticated,
            Self::ResourceNotFound(_) => ErrorKind::NotFound,
            Self::NoDeserialize | Self::CannotBeState | Self::Chunk(_) | Self::Output(_) => {
                ErrorKind::Internal
            }
        }
    }

    fn details(&self) -> Option<Value> {
        match self {
            Self::ResourceNotFound(uri) => Some(json!({ "uri": uri })),
            _ => None,
        }
    }

    fn is_invalid_arguments(&self) -> bool {
        matches!(self, Self::Arguments(_) | Self::ArgumentsAt { .. })
    }
}
