//! Division of a template into text and tags.

use std::ops::Range;

use super::LocatedError;
use super::token::{Cursor, Token};
use super::tree::Strip;
use crate::error_kind::ErrorKind;

/// The opening of a tag.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum TagOpening {
    /// `{{`, `{{&`
    Value,
    /// `{{{`
    Triple,
    /// `{{{{`
    Raw,
    /// `{{#`
    Block,
    /// `{{#*`
    Decorator,
    /// `{{*`
    DecoratorValue,
    /// `{{#>`
    PartialBlock,
    /// `{{>`
    Partial,
    /// `{{/`
    End,
    /// `{{^`, followed by a name
    Inverse,
    /// `{{else`, followed by a name
    Chain,
    /// `{{else}}`, `{{^}}`: the whole tag
    Else(Strip),
    /// `{{! .. }}`: the whole tag
    Comment(Strip),
}

/// The next piece outside tags.
pub(super) enum Piece {
    Text(Range<usize>),
    /// The opening of the tag, the position of its `{{`, and whether `~` follows.
    Tag(TagOpening, usize, bool),
    End,
}

/// Reads a template from left to right.
pub(super) struct Lexer<'a> {
    pub(super) cursor: Cursor<'a>,
    state: LexerState,
}

enum LexerState {
    Text,
    /// `{{` is text, because a backslash precedes it.
    Escaped,
    Tag,
}

impl<'a> Lexer<'a> {
    pub(super) fn new(source: &'a str, body: Range<usize>) -> Self {
        Self { cursor: Cursor::new(source, body), state: LexerState::Text }
    }

    pub(super) fn next_piece(&mut self) -> Result<Piece, LocatedError> {
        loop {
            let start = self.cursor.at;
            match self.state {
                LexerState::Tag => {
                    self.state = LexerState::Text;
                    return self.read_tag();
                }
                LexerState::Escaped => {
                    self.state = LexerState::Text;
                    let end = self.end_of_escaped(start);
                    self.cursor.at = end;
                    return Ok(Piece::Text(start..end));
                }
                LexerState::Text => {
                    let rest = self.cursor.remaining_text();
                    if rest.is_empty() {
                        return Ok(Piece::End);
                    }
                    let Some(length) = rest.find("{{") else {
                        self.cursor.at += rest.len();
                        return Ok(Piece::Text(start..self.cursor.at));
                    };
                    self.cursor.at += length;
                    let text = &rest[..length];
                    // `\\{{` is a backslash and a tag; `\{{` is text.
                    let escapes = text.ends_with('\\');
                    let twice = text.ends_with("\\\\");
                    self.state =
                        if escapes && !twice { LexerState::Escaped } else { LexerState::Tag };
                    let end = start + length - usize::from(escapes);
                    if end > start {
                        return Ok(Piece::Text(start..end));
                    }
                }
            }
        }
    }

    /// Returns the end of the text before the next tag, without the backslashes that belong to that tag.
    fn end_of_escaped(&self, start: usize) -> usize {
        let source = self.cursor.source;
        let Some(next) = source.get(start + 2..).and_then(|rest| rest.find("{{")) else {
            return source.len();
        };
        let next = start + 2 + next;
        let between = &source[start + 2..next];
        next - between.len().min(match between {
            _ if between.ends_with("\\\\") => 2,
            _ if between.ends_with('\\') => 1,
            _ => 0,
        })
    }

    fn read_tag(&mut self) -> Result<Piece, LocatedError> {
        let at = self.cursor.at;
        let rest = self.cursor.remaining_text();
        if rest.starts_with("{{{{") {
            self.cursor.at += 4;
            return Ok(Piece::Tag(TagOpening::Raw, at, false));
        }
        let tilde = rest[2..].starts_with('~');
        let start = at + 2 + usize::from(tilde);
        let inner = &self.cursor.source[start..];
        let (opening, length) = match inner.as_bytes().first() {
            Some(b'>') => (TagOpening::Partial, 1),
            Some(b'#') if inner.starts_with("#>") => (TagOpening::PartialBlock, 2),
            Some(b'#') if inner.starts_with("#*") => (TagOpening::Decorator, 2),
            Some(b'#') => (TagOpening::Block, 1),
            Some(b'/') => (TagOpening::End, 1),
            Some(b'{') => (TagOpening::Triple, 1),
            Some(b'&') => (TagOpening::Value, 1),
            Some(b'*') => (TagOpening::DecoratorValue, 1),
            Some(b'!') => return self.skip_comment(at, start, tilde),
            Some(b'^') => match end_of_tag(&inner[1..]) {
                Some((end, close)) => (TagOpening::Else(Strip { open: tilde, close }), 1 + end),
                None => (TagOpening::Inverse, 1),
            },
            _ => self.else_or_value(inner, tilde),
        };
        self.cursor.at = start + length;
        Ok(Piece::Tag(opening, at, tilde))
    }

    fn else_or_value(&self, inner: &str, tilde: bool) -> (TagOpening, usize) {
        let trimmed = inner.trim_start_matches(crate::text::is_blank);
        let before = inner.len() - trimmed.len();
        let Some(after) = trimmed.strip_prefix("else") else { return (TagOpening::Value, 0) };
        match end_of_tag(after) {
            Some((end, close)) => {
                (TagOpening::Else(Strip { open: tilde, close }), before + 4 + end)
            }
            None if after.starts_with(|c: char| c.is_ascii_alphanumeric() || c == '_') => {
                (TagOpening::Value, 0)
            }
            None => (TagOpening::Chain, before + 4),
        }
    }

    fn skip_comment(
        &mut self,
        at: usize,
        start: usize,
        tilde: bool,
    ) -> Result<Piece, LocatedError> {
        let source = self.cursor.source;
        let inner = &source[start..];
        let end = if inner.starts_with("!--") {
            let plain = inner[1..].find("--}}").map(|end| 1 + end + 4);
            let tilde = inner[1..].find("--~}}").map(|end| 1 + end + 5);
            match (plain, tilde) {
                (Some(plain), Some(tilde)) => Some(plain.min(tilde)),
                (one, other) => one.or(other),
            }
        } else {
            inner.find("}}").map(|end| end + 2)
        };
        let Some(end) = end else {
            let close = if inner.starts_with("!--") { "--}}" } else { "}}" };
            return Err((ErrorKind::UnclosedComment(close), at));
        };
        self.cursor.at = start + end;
        let close = source[at..start + end].ends_with("~}}");
        Ok(Piece::Tag(TagOpening::Comment(Strip { open: tilde, close }), at, tilde))
    }

    /// Reads the text of a raw block up to its end tag. Nested raw blocks are part of the text.
    pub(super) fn raw_text(&mut self, name: &str, at: usize) -> Result<Range<usize>, LocatedError> {
        let start = self.cursor.at;
        let mut open = 1;
        let mut from = start;
        while let Some(found) = self.cursor.source[from..].find("{{{{") {
            let tag = from + found;
            let after = &self.cursor.source[tag + 4..];
            from = tag + 4;
            if let Some(ended) = after.strip_prefix('/') {
                let length = ended.find("}}}}");
                open -= usize::from(length.is_some());
                if let (0, Some(length)) = (open, length) {
                    if &ended[..length] != name {
                        let closed = ended[..length].to_owned();
                        return Err((
                            ErrorKind::MismatchedEndTag { open: name.to_owned(), closed },
                            tag,
                        ));
                    }
                    self.cursor.at = tag + 5 + length + 4;
                    return Ok(start..tag);
                }
            } else {
                open += 1;
            }
        }
        Err((ErrorKind::UnclosedBlock(name.to_owned()), at))
    }

    pub(super) fn next_token(&mut self) -> Result<(Token<'a>, usize), LocatedError> {
        self.cursor.next_token()
    }
}

/// Parses whitespace, `~` and `}}`. Returns the length, and whether there is a `~`.
fn end_of_tag(text: &str) -> Option<(usize, bool)> {
    let trimmed = text.trim_start_matches(crate::text::is_blank);
    let (rest, tilde) = match trimmed.strip_prefix('~') {
        Some(rest) => (rest, true),
        None => (trimmed, false),
    };
    let rest = rest.strip_prefix("}}")?;
    Some((text.len() - rest.len(), tilde))
}
