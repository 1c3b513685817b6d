//! The errors of schemas: what cannot be checked, what does not fit, and forms.

use crate::error::{ErrorKind, Topic};

#[derive(Debug, thiserror::Error)]
pub(crate) enum Error {
    // What cannot be checked.
    #[error("what stands at `{at}` of the schema is not what JSON Schema has there")]
    Malformed { at: String },
    #[error("`$ref`: `{reference}` leads nowhere within the schema")]
    NoTarget { reference: String },
    #[error(
        "`{keyword}` cannot be checked: leave it out, or turn on the feature `validation` of \
         genkit, which checks schemas written by hand with all keywords"
    )]
    Unsupported { keyword: String },
    #[error(
        "the pattern `{pattern}` cannot be checked ({why}): patterns are read in linear time, \
         without look-around, back-references and `\\p{{..}}`"
    )]
    Pattern { pattern: String, why: String },
    #[error("the schema refers to itself without going into the value, or too deep")]
    Circle,
    #[error("the schema cannot be used: {0}")]
    Unusable(String),

    #[error("{0}")]
    Arguments(String),
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
        match self {
            Self::Arguments(_) => ErrorKind::InvalidArgument,
            _ => ErrorKind::Internal,
        }
    }

    fn is_invalid_arguments(&self) -> bool {
        matches!(self, Self::Arguments(_))
    }
}
