//! The errors of schemas: what cannot be checked, what does not fit, and forms.

#[derive(Debug, thiserror::Error)]
pub enum Error {
    // What cannot be checked.
    #[error("what stands at `{at}` of the schema is not what JSON Schema has there")]
    Malformed { at: String },
    #[error("`$ref`: `{reference}` leads nowhere within the schema")]
    NoTarget { reference: String },
    #[error(
        "`{keyword}` cannot be checked where several schemas have an anchor of its name: refer to one of \
         them with `$ref`"
    )]
    Unsupported { keyword: String },
    #[error(
        "the pattern `{pattern}` cannot be checked ({why}): patterns are read in linear time, \
         without look-around, back-references and `\\p{{..}}`, unless a schema is written by hand and the feature `validation` of genkit is on"
    )]
    Pattern { pattern: String, why: String },
    #[error(
        "the patterns of the schema take more than {most} bytes in all: use fewer or smaller ones"
    )]
    Patterns { most: usize },
    #[error("the schema refers to itself without going into the value, or too deep")]
    Circle,
    #[error("the schema cannot be used: {0}")]
    Unusable(String),

    #[error("{0}")]
    Arguments(String),
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
    #[error(
        "{}a form cannot show `{keyword}` of the field `{field}`, which is {given}: MCP takes \
         {takes} there",
        of_form(title)
    )]
    FormKeyword {
        title: Option<String>,
        field: String,
        keyword: &'static str,
        given: String,
        takes: &'static str,
    },
    #[error("{}`required` must be a list of the names of fields", of_form(title))]
    FormRequired { title: Option<String> },
}

impl Error {
    /// True if the arguments of a call do not fit, as opposed to a mistake in the program.
    pub fn is_invalid_arguments(&self) -> bool {
        matches!(self, Self::Arguments(_))
    }
}

/// A result whose error is that of schemas.
pub(crate) type Result<T> = std::result::Result<T, Error>;

/// ``the form `Order`: ``, where the type of the form has a name.
fn of_form(title: &Option<String>) -> String {
    title.as_ref().map(|title| format!("the form `{title}`: ")).unwrap_or_default()
}
