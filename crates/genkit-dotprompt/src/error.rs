//! The errors of prompts, with all their texts.

use std::fmt;
use std::sync::Arc;

use crate::fault::Fault;

/// A mistake in a prompt: where it is, what it is, and how to mend it.
///
/// ```
/// let error = genkit_dotprompt::PromptFile::parse("trip.prompt", "Hi\n{{name").unwrap_err();
/// assert_eq!((error.file(), error.line(), error.column()), (Some("trip.prompt"), 2, 1));
/// assert_eq!(error.to_string(), "trip.prompt:2:1: `{{` is never closed: write `}}`");
/// ```
#[derive(Clone, Debug)]
pub struct Error(Box<Inner>);

#[derive(Clone, Debug)]
struct Inner {
    file: Option<Arc<str>>,
    line: usize,
    column: usize,
    fault: Fault,
}

impl Error {
    pub(crate) fn new(fault: Fault) -> Self {
        Self(Box::new(Inner { file: None, line: 0, column: 0, fault }))
    }

    pub(crate) fn in_file(mut self, file: &Arc<str>) -> Self {
        self.0.file.get_or_insert_with(|| file.clone());
        self
    }

    pub(crate) fn at(mut self, (line, column): (usize, usize)) -> Self {
        if self.0.line == 0 {
            (self.0.line, self.0.column) = (line, column);
        }
        self
    }

    /// The same mistake, counted from another line.
    pub(crate) fn moved(mut self, (line, column): (usize, usize)) -> Self {
        (self.0.line, self.0.column) = (line, column);
        self
    }

    /// The file, as whoever parsed it called it.
    pub fn file(&self) -> Option<&str> {
        self.0.file.as_deref()
    }

    /// The line, from 1; 0 where the mistake is none of a line.
    pub fn line(&self) -> usize {
        self.0.line
    }

    /// The column in characters, from 1; 0 where the mistake is none of a line.
    pub fn column(&self) -> usize {
        self.0.column
    }

    /// What is wrong, without the place.
    pub fn message(&self) -> String {
        self.0.fault.to_string()
    }
}

impl fmt::Display for Error {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        if let Some(file) = &self.0.file {
            write!(f, "{file}:")?;
            if self.0.line == 0 {
                f.write_str(" ")?;
            }
        }
        if self.0.line > 0 {
            write!(f, "{}:{}: ", self.0.line, self.0.column)?;
        }
        self.0.fault.fmt(f)
    }
}

impl std::error::Error for Error {}
