//! The error type of this crate.

use std::fmt;

/// An error in a skill: the file, the position in it, the problem, and how to fix it.
///
/// ```
/// let error = genkit_skills::SkillText::parse("a/SKILL.md", "---\nname: A\n---\n").err().unwrap();
/// assert_eq!((error.file(), error.line()), ("a/SKILL.md", 2));
/// assert!(error.to_string().starts_with("a/SKILL.md:2:"), "{error}");
/// ```
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Error {
    file: String,
    line: usize,
    column: usize,
    message: String,
}

impl Error {
    /// Creates an error about a whole file or folder.
    pub(crate) fn for_file(file: impl Into<String>, message: impl Into<String>) -> Self {
        Self { file: file.into(), line: 0, column: 0, message: message.into() }
    }

    pub(crate) fn with_place(mut self, (line, column): (usize, usize)) -> Self {
        (self.line, self.column) = (line, column);
        self
    }

    /// Returns the name of the file that was passed to the reader.
    pub fn file(&self) -> &str {
        &self.file
    }

    /// Returns the line, counted from 1, or 0 if the error is not about a line.
    pub fn line(&self) -> usize {
        self.line
    }

    /// Returns the problem and how to fix it, without the position.
    pub fn message(&self) -> &str {
        &self.message
    }
}

impl fmt::Display for Error {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "{}:", self.file)?;
        if self.line > 0 {
            write!(f, "{}:{}:", self.line, self.column.max(1))?;
        }
        write!(f, " {}", self.message)
    }
}

impl std::error::Error for Error {}
