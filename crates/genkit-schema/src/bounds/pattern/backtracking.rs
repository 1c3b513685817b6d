//! Patterns with look-around, back-references or Unicode classes, which need backtracking.

use fancy_regex::{Regex, RegexBuilder};

use super::MAX_PATTERN;
use crate::error::Error as E;

/// The maximum number of backtracking steps of a pattern with look-around. Default is 10,000.
const MAX_BACKTRACKS: usize = 10_000;

/// The maximum length of a string that is matched against a pattern with look-around, in bytes. Default is 16 KiB.
const MAX_BACKTRACKED: usize = 16 * 1024;

#[derive(Debug)]
pub(super) struct BacktrackingRegex(Box<Regex>);

impl BacktrackingRegex {
    /// Compiles a pattern that the linear engine rejected.
    pub(super) fn compile(text: &str, _: &str) -> Result<Self, E> {
        RegexBuilder::new(text)
            .backtrack_limit(MAX_BACKTRACKS)
            .delegate_size_limit(MAX_PATTERN)
            .delegate_dfa_size_limit(MAX_PATTERN)
            .build()
            .map(|regex| Self(Box::new(regex)))
            .map_err(|why| E::Pattern { pattern: text.to_owned(), why: why.to_string() })
    }

    /// Returns whether `text` contains a match, or `None` if matching would take too long.
    pub(super) fn is_match(&self, text: &str) -> Option<bool> {
        if text.len() > MAX_BACKTRACKED { None } else { self.0.is_match(text).ok() }
    }

    pub(super) fn as_str(&self) -> &str {
        self.0.as_str()
    }
}
