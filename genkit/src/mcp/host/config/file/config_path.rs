//! Paths in a configuration file, for errors.

use std::fmt;

use serde_json::Value;

use super::error::Error;
use crate::error::{self, Topic as _};

/// A file and a path in it: `mcpServers.fs.args[1] in mcp.json`.
#[derive(Clone, Debug)]
pub(crate) struct ConfigPath<'a> {
    file: &'a str,
    path: String,
}

impl<'a> ConfigPath<'a> {
    /// The whole file.
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

    /// What is wrong here.
    pub(super) fn error(&self, error: Error) -> error::Error {
        let text = format!("{self}: {error}");
        match (error.kind(), error) {
            (kind, Error::EnvFile { source, .. }) => {
                error::Error::new(kind, text).with_source(source)
            }
            (kind, _) => error::Error::new(kind, text),
        }
    }

    /// A value of another type stands here.
    pub(super) fn expected(&self, expected: &'static str, found: &Value) -> error::Error {
        self.error(Error::expected(expected, found))
    }
}

impl fmt::Display for ConfigPath<'_> {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        if self.path.is_empty() {
            return f.write_str(self.file);
        }
        write!(f, "{} in {}", self.path, self.file)
    }
}
