//! The errors of schemas: unsupported schemas, invalid values, and forms.

#[derive(Debug, thiserror::Error)]
pub enum Error {
    // Schemas that cannot be checked.
    #[error("the schema is invalid at `{at}`")]
    Malformed { at: String },
    #[error("`$ref`: the target `{reference}` does not exist in the schema")]
    UnresolvedReference { reference: String },
    #[error(
        "`{keyword}` cannot be checked, because several schemas define its anchor; refer to one of them with `$ref`"
    )]
    Unsupported { keyword: String },
    #[error(
        "the pattern `{pattern}` cannot be checked ({why}); look-around, back-references and `\\p{{..}}` require a \
         hand-written schema and the feature `validation` of genkit"
    )]
    Pattern { pattern: String, why: String },
    #[error(
        "the patterns of the schema take more than {most} bytes in total; use fewer or smaller patterns"
    )]
    Patterns { most: usize },
    #[error(
        "the schema refers to itself without descending into a property or an item, or combines too many nested schemas; \
         break the `$ref` cycle, or nest fewer schemas in `allOf`, `anyOf` and `not`"
    )]
    Circle,
    #[error("the schema cannot be used: {0}")]
    Unusable(String),

    #[error("{0}")]
    Arguments(String),
    #[error("the result does not match the declared output schema: {0}")]
    Result(String),
    #[error(
        "{}a form must be an object with fields; use a struct or an object schema",
        form_prefix(title)
    )]
    FormWithoutFields { title: Option<String> },
    #[error(
        "{}a form cannot show the field `{field}`, which is {shown}; MCP allows text, numbers, \
         booleans, enumerations and lists of an enumeration. Move the fields of `{field}` into the \
         form itself, or ask for them in a second question",
        form_prefix(title)
    )]
    FormField { title: Option<String>, field: String, shown: String },
    #[error(
        "{}a form cannot show `{keyword}` of the field `{field}`, which is {given}; MCP expects \
         {takes}",
        form_prefix(title)
    )]
    FormKeyword {
        title: Option<String>,
        field: String,
        keyword: &'static str,
        given: String,
        takes: &'static str,
    },
    #[error("{}`required` must be a list of field names", form_prefix(title))]
    FormRequired { title: Option<String> },
}

impl Error {
    /// Returns whether the arguments of a call do not match, as opposed to an error in the program.
    pub fn is_invalid_arguments(&self) -> bool {
        matches!(self, Self::Arguments(_))
    }
}

/// A result whose error is a schema error.
pub(crate) type Result<T> = std::result::Result<T, Error>;

/// Returns ``the form `Order`: `` if the type of the form has a name.
fn form_prefix(title: &Option<String>) -> String {
    title.as_ref().map(|title| format!("the form `{title}`: ")).unwrap_or_default()
}
