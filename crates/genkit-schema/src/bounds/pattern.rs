//! Patterns of text, compiled within limits and weighed: a match takes time by the pattern times the text.

use regex_lite::{Regex, RegexBuilder};

use crate::error::Error as E;

/// How large a compiled pattern may be, in bytes. Default is 256 KiB.
const MAX_PATTERN: usize = 256 * 1024;

/// How large all compiled patterns of one schema may be, in bytes. Default is 4 MiB.
const MAX_PATTERNS: usize = 4 * 1024 * 1024;

/// The size that every pattern has at least, and the unit of its weight.
const SMALL: usize = 1024;

/// How often a pattern with look-around may go back. Default is 10,000.
#[cfg(feature = "validation")]
const MAX_BACKTRACKS: usize = 10_000;

/// How long a text may be that a pattern with look-around is tried on, in bytes. Default is 16 KiB.
#[cfg(feature = "validation")]
const MAX_BACKTRACKED: usize = 16 * 1024;

/// A compiled pattern.
#[derive(Debug)]
pub(super) struct Pattern {
    regex: Compiled,
    /// KiB of it: what one character of a text costs.
    weight: usize,
}

#[derive(Debug)]
enum Compiled {
    Linear(Regex),
    /// With look-around, back-references or classes of Unicode.
    #[cfg(feature = "validation")]
    Backtracking(Box<fancy_regex::Regex>),
}

/// Compiles the patterns of one schema.
pub(super) struct Patterns {
    left: usize,
    /// A type's own patterns are linear, whatever features are on.
    is_written: bool,
}

impl Patterns {
    pub(super) fn new(is_written: bool) -> Self {
        Self { left: MAX_PATTERNS, is_written }
    }

    pub(super) fn compile(&mut self, text: &str) -> Result<Pattern, E> {
        // The smallest limit under which it compiles says how large it is.
        let mut size = SMALL;
        let built = loop {
            match RegexBuilder::new(text).size_limit(size).build() {
                Err(_) if size < MAX_PATTERN => size *= 4,
                done => break done,
            }
        };
        let pattern = match built {
            Ok(regex) => Pattern { regex: Compiled::Linear(regex), weight: size / SMALL },
            Err(why) => {
                size = MAX_PATTERN;
                backtracking(text, &why.to_string(), self.is_written)?
            }
        };
        self.left = self.left.checked_sub(size).ok_or(E::Patterns { most: MAX_PATTERNS })?;
        Ok(pattern)
    }
}

#[cfg(feature = "validation")]
fn backtracking(text: &str, why: &str, is_written: bool) -> Result<Pattern, E> {
    if !is_written {
        return Err(E::Pattern { pattern: text.to_owned(), why: why.to_owned() });
    }
    let regex = fancy_regex::RegexBuilder::new(text)
        .backtrack_limit(MAX_BACKTRACKS)
        .delegate_size_limit(MAX_PATTERN)
        .delegate_dfa_size_limit(MAX_PATTERN)
        .build()
        .map_err(|why| E::Pattern { pattern: text.to_owned(), why: why.to_string() })?;
    Ok(Pattern { regex: Compiled::Backtracking(Box::new(regex)), weight: 64 })
}

#[cfg(not(feature = "validation"))]
fn backtracking(text: &str, why: &str, _: bool) -> Result<Pattern, E> {
    Err(E::Pattern { pattern: text.to_owned(), why: why.to_owned() })
}

impl Pattern {
    /// Whether it is in `text`; `None` where that takes too long to say.
    pub(super) fn is_match(&self, text: &str) -> Option<bool> {
        match &self.regex {
            Compiled::Linear(regex) => Some(regex.is_match(text)),
            #[cfg(feature = "validation")]
            Compiled::Backtracking(_) if text.len() > MAX_BACKTRACKED => None,
            #[cfg(feature = "validation")]
            Compiled::Backtracking(regex) => regex.is_match(text).ok(),
        }
    }

    /// How many steps a match takes.
    pub(super) fn cost(&self, text: &str) -> usize {
        (text.len() + 2) * self.weight
    }

    pub(super) fn as_str(&self) -> &str {
        match &self.regex {
            Compiled::Linear(regex) => regex.as_str(),
            #[cfg(feature = "validation")]
            Compiled::Backtracking(regex) => regex.as_str(),
        }
    }
}
