//! The error messages of actions: arguments, injected parameters, results.

use disqualified::ShortName;
use serde_json::{Value, json};

use crate::error::{ErrorKind, Topic};

#[derive(Debug, thiserror::Error)]
pub enum Error {
    // Input.
    #[error("{0}")]
    Arguments(String),
    #[error("at `{place}`: {message}")]
    ArgumentsAt { place: String, message: String },
    #[error("the input type does not implement `serde::Deserialize`")]
    NotDeserialize,

    #[error("cannot set a fixed value for `{argument}` of the tool `{tool}`: {why}")]
    FixedArgument { tool: String, argument: String, why: String },

    // Injected parameters.
    #[error("no state of type `{0}`; add it with `.state(..)`")]
    MissingState(ShortName<'static>),
    #[error(
        "the request has no extension of type `{0}`; set it with `.authenticate(..)` or in HTTP middleware, or for every \
         request with `.extension(..)`"
    )]
    MissingExtension(ShortName<'static>),
    #[error("this type cannot be used as state")]
    CannotBeState,
    #[error("failed to serialize a chunk to JSON: {0}")]
    Chunk(serde_json::Error),

    // Results.
    #[error("failed to serialize the result to JSON: {0}")]
    Output(serde_json::Error),
    #[error("Resource not found: {0}")]
    ResourceNotFound(String),
}

impl Topic for Error {
    fn kind(&self) -> ErrorKind {
        match self {
            Self::Arguments(_) | Self::ArgumentsAt { .. } | Self::FixedArgument { .. } => {
                ErrorKind::InvalidArgument
            }
            Self::MissingState(_) => ErrorKind::FailedPrecondition,
            Self::MissingExtension(_) => ErrorKind::Unauthenticated,
            Self::ResourceNotFound(_) => ErrorKind::NotFound,
            Self::NotDeserialize | Self::CannotBeState | Self::Chunk(_) | Self::Output(_) => {
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
