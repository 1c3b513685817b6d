//! The errors of schemas: those written by hand, and forms.

use crate::error::{ErrorKind, Topic};

#[derive(Debug, thiserror::Error)]
pub(super) enum Error {
    #[cfg(feature = "validation")]
    #[error("the schema itself is invalid: {0}")]
    InvalidSchema(String),
    #[cfg(feature = "validation")]
    #[error("the result does not fit its own output schema: {0}")]
    Result(String),
    #[cfg(feature = "mcp-server")]
    #[error("a form must be an object with fields: elicit a struct, or an object schema")]
    FormWithoutFields,
    #[cfg(feature = "mcp-server")]
    #[error(
        "a form cannot show the field `{0}`: MCP allows text, numbers, booleans, enumerations and \
         lists of an enumeration"
    )]
    FormField(String),
}

impl Topic for Error {
    fn kind(&self) -> ErrorKind {
        ErrorKind::Internal
    }
}
