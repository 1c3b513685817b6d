//! Text patterns with a limited compiled size and a known cost: matching time is proportional to pattern size and text
//! length, except for patterns that need backtracking, whose steps are limited.

#[cfg_attr(not(feature = "validation"), path = "backtracking_off.rs")]
mod backtracking;

use regex_lite::{Regex, RegexBuilder};

use self::backtracking::BacktrackingRegex;
use crate::error::Error as E;

/// The maximum size of a compiled pattern, in bytes. Default is 256 KiB.
const MAX_PATTERN: usize = 256 * 1024;

/// The maximum total size of the compiled patterns of one schema, in bytes. Default is 4 MiB.
const MAX_PATTERNS: usize = 4 * 1024 * 1024;

/// The minimum size of a pattern, and the unit of its weight.
const SMALL: usize = 1024;

/// A compiled pattern.
#[derive(Debug)]
pub(super) struct Pattern {
    regex: CompiledPattern,
    /// The size of the pattern in KiB, which is the cost per character of a string.
    weight: usize,
}

#[derive(Debug)]
enum CompiledPattern {
    Linear(Regex),
    /// A pattern with look-around, back-references or Unicode classes.
    Backtracking(BacktrackingRegex),
}

/// The compiler for the patterns of one schema.
pub(super) struct Patterns {
    left: usize,
    /// Whether the schema was written by hand. Patterns of a type are always linear, regardless of the enabled
    /// features.
    is_written: bool,
}

impl Patterns {
    pub(super) fn new(is_written: bool) -> Self {
        Self { left: MAX_PATTERNS, is_written }
    }

    pub(super) fn compile_pattern(&mut self, text: &str) -> Result<Pattern, E> {
        // The size of a pattern is the smallest size limit with which it compiles.
        let mut size = SMALL;
        let built = loop {
            match RegexBuilder::new(text).size_limit(size).build() {
                Err(_) if size < MAX_PATTERN => size *= 4,
                done => break done,
            }
        };
        let pattern = match built {
            Ok(regex) => Pattern { regex: CompiledPattern::Linear(regex), weight: size / SMALL },
            Err(why) => {
                size = MAX_PATTERN;
                // The patterns that a type can have must not depend on the enabled features.
                if !self.is_written {
                    return Err(E::Pattern { pattern: text.to_owned(), why: why.to_string() });
                }
                let regex = BacktrackingRegex::compile(text, &why.to_string())?;
                Pattern { regex: CompiledPattern::Backtracking(regex), weight: 64 }
            }
        };
        self.left = self.left.checked_sub(size).ok_or(E::Patterns { most: MAX_PATTERNS })?;
        Ok(pattern)
    }
}

/// Returns whether values can be checked against a pattern of a hand-written schema.
pub(crate) fn is_supported_pattern(text: &str) -> bool {
    Patterns::new(true).compile_pattern(text).is_ok()
}

impl Pattern {
    /// Returns whether `text` contains a match, or `None` if matching would take too long.
    pub(super) fn is_match(&self, text: &str) -> Option<bool> {
        match &self.regex {
            CompiledPattern::Linear(regex) => Some(regex.is_match(text)),
            CompiledPattern::Backtracking(regex) => regex.is_match(text),
        }
    }

    /// Returns the number of steps that a match takes.
    pub(super) fn match_cost(&self, text: &str) -> usize {
        // Look-around may search the rest of the text at each position.
        let weight = match &self.regex {
            CompiledPattern::Linear(_) => self.weight,
            CompiledPattern::Backtracking(_) => self.weight.max(text.len() / 32),
        };
        (text.len() + 2) * weight
    }

    pub(super) fn as_str(&self) -> &str {
        match &self.regex {
            CompiledPattern::Linear(regex) => regex.as_str(),
            CompiledPattern::Backtracking(regex) => regex.as_str(),
        }
    }
}
