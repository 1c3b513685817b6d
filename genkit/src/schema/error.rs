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
    #[error(
        "{}a form must be an object with fields: ask for a struct, or give an object schema",
        of_form(title)
    )]
    FormWithoutFields { title: Option<String> },
    #[error(
        "{}a form cannot show the field `{field}`, which is {shown}: MCP allows text, numbers, \
         booleans, enumerations and lists of an enumeration. Move the fields of `{field}` into the \
         form itself, or ask for them in a second question",
        of_form(title)
    )]
    FormField { title: Option<String>, field: String, shown: String },
}

impl Topic for Error {
    fn kind(&self) -> ErrorKind {
        ErrorKind::Internal
    }
}

/// ``the form `Order`: ``, where the type of the form has a name.
fn of_form(title: &Option<String>) -> String {
    title.as_ref().map(|title| format!("the form `{title}`: ")).unwrap_or_default()
}
