//! Unknown names, with suggestions.

use std::fmt;

use genkit_did_you_mean::nearest;

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
            return write!(f, ", there are no {kind}s");
        }
        let mut before = if self.known.len() == 1 { ", expected " } else { ", expected one of " };
        for name in self.known.iter().take(SHOWN) {
            write!(f, "{before}`{name}`")?;
            before = ", ";
        }
        if self.known.len() > SHOWN {
            write!(f, " and {} more", self.known.len() - SHOWN)?;
        }
        match nearest(&self.name, self.known.iter().map(String::as_str)) {
            Some(name) => write!(f, "; did you mean `{name}`?"),
            None => Ok(()),
        }
    }
}
