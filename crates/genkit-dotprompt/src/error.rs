//! The error type of this crate.

use std::fmt;
use std::sync::Arc;

use crate::error_kind::ErrorKind;

/// An error in a prompt: its position, the problem, and how to fix it.
///
/// ```
/// let error = genkit_dotprompt::PromptFile::parse("trip.prompt", "Hi\n{{name").unwrap_err();
/// assert_eq!((error.file(), error.line(), error.column()), (Some("trip.prompt"), 2, 1));
/// assert_eq!(error.to_string(), "trip.prompt:2:1: `{{` is never closed; write `}}`");
/// ```
#[derive(Clone, Debug)]
pub struct Error(Box<Inner>);

#[derive(Clone, Debug)]
struct Inner {
    file: Option<Arc<str>>,
    line: usize,
    column: usize,
    fault: ErrorKind,
}

impl Error {
    pub(crate) fn new(fault: ErrorKind) -> Self {
        Self(Box::new(Inner { file: None, line: 0, column: 0, fault }))
    }

    pub(crate) fn in_file(mut self, file: &Arc<str>) -> Self {
        self.0.file.get_or_insert_with(|| file.clone());
        self
    }

    pub(crate) fn with_place(mut self, (line, column): (usize, usize)) -> Self {
        if self.0.line == 0 {
            (self.0.line, self.0.column) = (line, column);
        }
        self
    }

    /// Returns the same error at another line and column.
    pub(crate) fn move_to(mut self, (line, column): (usize, usize)) -> Self {
        (self.0.line, self.0.column) = (line, column);
        self
    }

    /// Returns the name of the file that was passed to the parser.
    pub fn file(&self) -> Option<&str> {
        self.0.file.as_deref()
    }

    /// Returns the line, counted from 1, or 0 if the error has no position in the file.
    pub fn line(&self) -> usize {
        self.0.line
    }

    /// Returns the column in characters, counted from 1, or 0 if the error has no position in the file.
    pub fn column(&self) -> usize {
        self.0.column
    }

    /// Returns the message without the position.
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
