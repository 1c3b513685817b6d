//! Environment variables that a program reads.

use std::ffi::OsString;

use crate::error::Error as E;
use genkit_core::Result;

/// An environment variable that a server reads, declared with `serve_mcp().variable(..)`. It is required unless it is
/// [`optional`](Self::optional) or has a [`default`](Self::default_value).
///
/// ```
/// use genkit::mcp::server::Variable;
///
/// let token = Variable::new("NOTES_TOKEN", "Access token of the notes").secret();
/// assert!(token.is_secret() && token.is_required());
/// let folder = Variable::new("NOTES_DIR", "Folder of the notes").default_value("notes");
/// assert!(!folder.is_required());
/// ```
#[derive(Clone, Debug)]
pub struct Variable {
    name: String,
    description: String,
    secret: bool,
    optional: bool,
    default: Option<String>,
}

impl Variable {
    /// Creates a required variable with a description for users.
    pub fn new(name: impl Into<String>, description: impl Into<String>) -> Self {
        Self {
            name: name.into(),
            description: description.into(),
            secret: false,
            optional: false,
            default: None,
        }
    }

    /// Marks the value as secret, so that clients store and display it like a password.
    #[must_use]
    pub fn secret(self) -> Self {
        Self { secret: true, ..self }
    }

    /// Marks the variable as optional. If the user of a bundle leaves the setting empty, the variable has an empty
    /// value, so the program must treat an empty value as missing.
    #[must_use]
    pub fn optional(self) -> Self {
        Self { optional: true, ..self }
    }

    /// Sets the default value, which is displayed to users. The program must use it if the variable is not set.
    #[must_use]
    pub fn default_value(self, value: impl Into<String>) -> Self {
        Self { default: Some(value.into()), ..self }
    }

    /// Returns the name.
    pub fn name(&self) -> &str {
        &self.name
    }

    /// Returns the description.
    pub fn description(&self) -> &str {
        &self.description
    }

    /// Returns whether the value is secret.
    pub fn is_secret(&self) -> bool {
        self.secret
    }

    /// Returns whether the variable must be set.
    pub fn is_required(&self) -> bool {
        !self.optional && self.default.is_none()
    }

    /// Returns the value that the program uses if the variable is not set.
    pub fn default(&self) -> Option<&str> {
        self.default.as_deref()
    }

    fn has_valid_name(&self) -> bool {
        let is_word = |c: char| c.is_ascii_alphanumeric() || c == '_';
        self.name.chars().all(is_word) && self.name.starts_with(|c: char| !c.is_ascii_digit())
    }
}

/// Checks that the names are valid and that all required variables have a value. An empty value counts as missing.
pub(crate) fn check_variables(
    variables: &[Variable],
    value: impl Fn(&str) -> Option<OsString>,
) -> Result<()> {
    if let Some(wrong) = variables.iter().find(|variable| !variable.has_valid_name()) {
        return Err(E::VariableName { name: wrong.name.clone() }.into());
    }
    let is_set = |name: &str| value(name).is_some_and(|value| !value.is_empty());
    let missing: Vec<_> = variables
        .iter()
        .filter(|variable| variable.is_required() && !is_set(&variable.name))
        .map(|variable| format!("`{}` ({})", variable.name, variable.description))
        .collect();
    match missing.is_empty() {
        true => Ok(()),
        false => Err(E::MissingVariables { names: missing.join(", ") }.into()),
    }
}
