//! Without the feature `validation`, patterns that need backtracking are rejected.

use crate::error::Error as E;

#[derive(Debug)]
pub(super) enum BacktrackingRegex {}

impl BacktrackingRegex {
    /// Rejects the pattern with the reason that the linear engine returned.
    pub(super) fn compile(text: &str, why: &str) -> Result<Self, E> {
        Err(E::Pattern { pattern: text.to_owned(), why: why.to_owned() })
    }

    pub(super) fn is_match(&self, _: &str) -> Option<bool> {
        match *self {}
    }

    pub(super) fn as_str(&self) -> &str {
        match *self {}
    }
}
