//! Where something stands in a file, for errors.

use std::fmt;

use serde_json::Value;

use crate::error::Error;

/// A file and a path in it: `mcpServers.fs.args[1] in mcp.json`.
#[derive(Clone, Debug)]
pub(crate) struct Place<'a> {
    file: &'a str,
    path: String,
}

impl<'a> Place<'a> {
    pub(crate) fn file(file: &'a str) -> Self {
        Self { file, path: String::new() }
    }

    pub(crate) fn new(file: &'a str, path: &str) -> Self {
        Self { file, path: path.to_owned() }
    }

    pub(crate) fn key(&self, key: &str) -> Self {
        // A name from outside may be as long as it likes; a message may not.
        let key: String = key.chars().take(100).collect();
        Self { file: self.file, path: format!("{}.{key}", self.path) }
    }

    pub(crate) fn index(&self, index: usize) -> Self {
        Self { file: self.file, path: format!("{}[{index}]", self.path) }
    }

    /// Something is wrong here. What must not be shown is not in `said`.
    pub(crate) fn error(&self, said: impl fmt::Display) -> Error {
        Error::invalid_argument(format!("{self}: {said}"))
    }

    /// A value of another type; it may be a secret, so that only its type is shown.
    pub(crate) fn expected(&self, what: &str, found: &Value) -> Error {
        let found = match found {
            Value::Null => "null",
            Value::Bool(_) => "true or false",
            Value::Number(_) => "a number",
            Value::String(_) => "a string",
            Value::Array(_) => "an array",
            Value::Object(_) => "an object",
        };
        self.error(format!("expected {what}, found {found}"))
    }
}

impl fmt::Display for Place<'_> {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        if self.path.is_empty() {
            return f.write_str(self.file);
        }
        write!(f, "{} in {}", self.path, self.file)
    }
}
