//! The state of the parser.

use std::ops::Range;

use super::LocatedError;
use super::lexer::Lexer;
use super::token::Token;
use crate::error_kind::ErrorKind;

pub(super) struct Parser<'a> {
    pub(super) lexer: Lexer<'a>,
    pub(super) peeked: Option<(Token<'a>, usize)>,
    /// The number of open subexpressions.
    pub(super) subexpressions: usize,
    /// The number of open blocks.
    pub(super) blocks: usize,
    /// The names of the parameters of all open blocks.
    pub(super) params: Vec<Box<str>>,
    pub(super) helpers: Helpers,
}

/// Helpers that are not built in, and the positions where they are used.
pub(super) type Helpers = Vec<(Box<str>, usize)>;

impl<'a> Parser<'a> {
    pub(super) fn new(source: &'a str, body: Range<usize>) -> Self {
        Self {
            lexer: Lexer::new(source, body),
            peeked: None,
            subexpressions: 0,
            blocks: 0,
            params: Vec::new(),
            helpers: Vec::new(),
        }
    }
}

impl Parser<'_> {
    pub(super) fn is_block_param(&self, name: &str) -> bool {
        self.params.iter().any(|param| **param == *name)
    }

    pub(super) fn unexpected_token(&self, token: &Token<'_>, at: usize) -> LocatedError {
        let fault = match token {
            Token::End => ErrorKind::UnclosedTag,
            Token::CloseTriple(_) => ErrorKind::ThreeBraces,
            Token::Close(_) => ErrorKind::Unexpected("end of the tag".to_owned()),
            _ => {
                let rest = &self.lexer.cursor.source[at..];
                let word: String =
                    rest.chars().take_while(|c| !c.is_whitespace() && *c != '}').take(20).collect();
                ErrorKind::Unexpected(format!("`{word}`"))
            }
        };
        (fault, at)
    }
}
