//! The template language: text, tags and the syntax tree.

mod arguments;
mod builtin;
mod call;
mod lexer;
mod parse;
mod parser;
mod tags;
mod token;
mod tree;
mod whitespace;

use std::ops::Range;
use std::sync::Arc;

pub(crate) use builtin::Builtin;
pub(crate) use tree::{Block, Call, Expr, Head, Node, Partial, PartialName, Path, Program};

use crate::error::Error;
use crate::error_kind::ErrorKind;
use crate::text;

/// A compiled template. Positions in it are byte offsets in the file.
#[derive(Debug)]
pub(crate) struct Template {
    file: Arc<str>,
    source: Arc<str>,
    body: Range<usize>,
    pub(crate) program: Program,
    /// Helpers that are not built in, with the position of each use.
    pub(crate) helpers: Vec<(Box<str>, usize)>,
}

impl Template {
    pub(crate) fn parse_range(
        file: Arc<str>,
        source: Arc<str>,
        body: Range<usize>,
    ) -> Result<Self, Error> {
        let (mut program, helpers) =
            parse::parse_body(&source, body.clone()).map_err(|(fault, at)| {
                Error::new(fault).with_place(text::line_and_column(&source, at)).in_file(&file)
            })?;
        whitespace::control_whitespace(&mut program, &source);
        Ok(Self { file, source, body, program, helpers })
    }

    pub(crate) fn file(&self) -> &str {
        &self.file
    }

    pub(crate) fn file_name(&self) -> &Arc<str> {
        &self.file
    }

    pub(crate) fn source(&self) -> &str {
        &self.source
    }

    pub(crate) fn text(&self) -> &str {
        &self.source[self.body.clone()]
    }

    /// Creates an error with `fault` at a byte offset of the file.
    pub(crate) fn error_at(&self, fault: ErrorKind, at: usize) -> Error {
        Error::new(fault).with_place(text::line_and_column(&self.source, at)).in_file(&self.file)
    }
}

/// An error in a template, and its byte offset in the file.
pub(crate) type LocatedError = (ErrorKind, usize);
