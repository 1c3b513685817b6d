//! Locations in a configuration file, for errors.

use std::fmt;

use serde_json::Value;

use crate::error::{Error, ErrorReason};

/// A file and a path in it: `mcpServers.fs.args[1] in mcp.json`.
pub(crate) struct Location<'a> {
    file: &'a str,
    path: String,
}

impl<'a> Location<'a> {
    /// Creates the location of the whole file.
    pub(crate) fn for_file(file: &'a str) -> Self {
        Self::new(file, "")
    }

    pub(crate) fn new(file: &'a str, path: &str) -> Self {
        Self { file, path: path.to_owned() }
    }

    pub(crate) fn for_key(&self, key: &str) -> Self {
        // A key in the file may have any length; limit it in messages.
        let key: String = key.chars().take(100).collect();
        Self { file: self.file, path: format!("{}.{key}", self.path) }
    }

    pub(crate) fn index(&self, index: usize) -> Self {
        Self { file: self.file, path: format!("{}[{index}]", self.path) }
    }

    /// Creates an error at this location.
    pub(crate) fn error_at(&self, reason: ErrorReason) -> Error {
        Error::at_location(self.to_string(), reason)
    }

    /// Creates the error of a value with the wrong type at this location.
    pub(crate) fn type_error(&self, expected: &'static str, found: &Value) -> Error {
        self.error_at(ErrorReason::wrong_type(expected, found))
    }
}

impl fmt::Display for Location<'_> {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        if self.path.is_empty() {
            return f.write_str(self.file);
        }
        write!(f, "{} in {}", self.path, self.file)
    }
}
