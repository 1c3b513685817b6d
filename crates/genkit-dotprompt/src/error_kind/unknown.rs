//! Unknown names, with suggestions.

use std::fmt;

/// An unknown name, and the names that are known.
#[derive(Clone, Debug)]
pub(crate) struct Unknown {
    pub(crate) name: String,
    pub(crate) known: Vec<String>,
}

impl Unknown {
    pub(crate) fn new<'a>(name: &str, known: impl IntoIterator<Item = &'a str>) -> Self {
        let mut known: Vec<_> = known.into_iter().map(str::to_owned).collect();
        known.sort();
        known.dedup();
        Self { name: name.to_owned(), known }
    }

    /// Writes "unknown partial `x`, expected one of ..; did you mean ..?".
    pub(super) fn fmt(&self, f: &mut fmt::Formatter<'_>, kind: &str) -> fmt::Result {
        const SHOWN: usize = 30;
        write!(f, "unknown {kind} `{}`", self.name)?;
        if self.known.is_empty() {
            return write!(f, "; there are no {kind}s");
        }
        let mut before = if self.known.len() == 1 { ", expected " } else { ", expected one of " };
        for name in self.known.iter().take(SHOWN) {
            write!(f, "{before}`{name}`")?;
            before = ", ";
        }
        if self.known.len() > SHOWN {
            write!(f, " and {} more", self.known.len() - SHOWN)?;
        }
        self.fmt_nearest(f)
    }

    /// Returns the known name that is similar.
    pub(super) fn nearest(&self) -> Option<&str> {
        find_nearest(&self.name, self.known.iter().map(String::as_str))
    }

    /// Writes "; did you mean ..?" if a known name is similar.
    pub(super) fn fmt_nearest(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self.nearest() {
            Some(name) => write!(f, "; did you mean `{name}`?"),
            None => Ok(()),
        }
    }
}

/// Returns the candidate that `word` is probably a typo of: at most a third of its characters, or
/// one character, may differ. Among equally close candidates, a candidate that differs only in
/// case is preferred, then the first in alphabetical order.
pub(crate) fn find_nearest<'a>(
    word: &str,
    candidates: impl IntoIterator<Item = &'a str>,
) -> Option<&'a str> {
    let limit = (word.chars().count() / 3).max(1);
    let distances = candidates.into_iter().map(|candidate| {
        let is_other_word = !candidate.eq_ignore_ascii_case(word);
        (strsim::osa_distance(word, candidate), is_other_word, candidate)
    });
    let close = distances
        .filter(|(edits, _, candidate)| *edits <= limit && *edits < candidate.chars().count());
    close.min().map(|(.., candidate)| candidate)
}
