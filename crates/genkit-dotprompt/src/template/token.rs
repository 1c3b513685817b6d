//! The tokens in a tag.

use std::borrow::Cow;
use std::ops::Range;

use super::LocatedError;
use crate::error_kind::ErrorKind;
use crate::text::is_blank;

#[derive(Clone, Debug, PartialEq)]
pub(super) enum Token<'a> {
    /// A name, and whether it is in brackets.
    Id(Cow<'a, str>, bool),
    Text(String),
    Number(&'a str),
    Bool(bool),
    Null,
    Undefined,
    /// `.` or `/` in a path
    Separator(char),
    At,
    Equals,
    OpenCall,
    CloseCall,
    /// `as |`
    OpenParams,
    /// `|`
    CloseParams,
    /// `}}`, with or without `~`
    Close(bool),
    /// `}}}`
    CloseTriple(bool),
    /// `}}}}`
    CloseRaw,
    /// The template ends inside a tag.
    End,
}

/// A position in the body of a file.
pub(super) struct Cursor<'a> {
    /// The file up to the end of the body.
    pub(super) source: &'a str,
    pub(super) at: usize,
}

impl<'a> Cursor<'a> {
    pub(super) fn new(source: &'a str, body: Range<usize>) -> Self {
        Self { source: &source[..body.end], at: body.start }
    }

    pub(super) fn remaining_text(&self) -> &'a str {
        &self.source[self.at..]
    }

    /// Returns the next token and its position.
    pub(super) fn next_token(&mut self) -> Result<(Token<'a>, usize), LocatedError> {
        let rest = self.remaining_text();
        let trimmed = rest.trim_start_matches(is_blank);
        self.at += rest.len() - trimmed.len();
        let at = self.at;
        let (token, length) = read(trimmed).map_err(|fault| (fault, at))?;
        self.at += length;
        Ok((token, at))
    }
}

fn read(text: &str) -> Result<(Token<'_>, usize), ErrorKind> {
    let Some(first) = text.chars().next() else { return Ok((Token::End, 0)) };
    Ok(match first {
        '(' => (Token::OpenCall, 1),
        ')' => (Token::CloseCall, 1),
        '=' => (Token::Equals, 1),
        '@' => (Token::At, 1),
        '|' => (Token::CloseParams, 1),
        '/' => (Token::Separator('/'), 1),
        '.' if text.starts_with("..") => (Token::Id("..".into(), false), 2),
        '.' if text[1..].starts_with(ends_name) => (Token::Id(".".into(), false), 1),
        '.' => (Token::Separator('.'), 1),
        '}' | '~' => lex_close(text)?,
        '"' | '\'' => lex_quoted(text, first)?,
        '[' => lex_bracketed(text)?,
        _ => lex_word(text)?,
    })
}

fn lex_close(text: &str) -> Result<(Token<'_>, usize), ErrorKind> {
    Ok(match text {
        _ if text.starts_with("}}}}") => (Token::CloseRaw, 4),
        _ if text.starts_with("}}}") => (Token::CloseTriple(false), 3),
        _ if text.starts_with("}~}}") => (Token::CloseTriple(true), 4),
        _ if text.starts_with("~}}") => (Token::Close(true), 3),
        _ if text.starts_with("}}") => (Token::Close(false), 2),
        _ => return Err(unexpected_character(text)),
    })
}

fn lex_quoted(text: &str, quote: char) -> Result<(Token<'_>, usize), ErrorKind> {
    let mut value = String::new();
    let mut characters = text.char_indices().skip(1).peekable();
    while let Some((at, c)) = characters.next() {
        if c == quote {
            return Ok((Token::Text(value), at + 1));
        }
        match characters.peek() {
            Some((_, next)) if c == '\\' && *next == quote => {
                value.push(quote);
                characters.next();
            }
            _ => value.push(c),
        }
    }
    Err(ErrorKind::UnclosedString(quote))
}

/// Parses `[odd key]`. A backslash escapes a bracket.
fn lex_bracketed(text: &str) -> Result<(Token<'_>, usize), ErrorKind> {
    let mut value = String::new();
    let mut characters = text.char_indices().skip(1).peekable();
    while let Some((at, c)) = characters.next() {
        if c == ']' {
            return Ok((Token::Id(value.into(), true), at + 1));
        }
        match characters.peek() {
            Some((_, next @ (']' | '\\'))) if c == '\\' => {
                value.push(*next);
                characters.next();
            }
            _ => value.push(c),
        }
    }
    Err(ErrorKind::UnclosedBracket)
}

fn lex_word(text: &str) -> Result<(Token<'_>, usize), ErrorKind> {
    if let Some(rest) = text.strip_prefix("as") {
        let trimmed = rest.trim_start_matches(is_blank);
        if trimmed.len() < rest.len() && trimmed.starts_with('|') {
            return Ok((Token::OpenParams, text.len() - trimmed.len() + 1));
        }
    }
    let digits = text.starts_with(|c: char| c.is_ascii_digit() || c == '-');
    let length = if digits { number_length(text) } else { 0 };
    if length > 0 && text[length..].starts_with(ends_literal) {
        return Ok((Token::Number(&text[..length]), length));
    }
    // Fast path: most names consist of letters.
    let letters = text.bytes().take_while(u8::is_ascii_alphanumeric).count();
    let length = text[letters..].find(|c| !is_of_name(c)).map_or(text.len(), |end| letters + end);
    if length == 0 || !(text.len() == length || text[length..].starts_with(ends_name)) {
        return Err(unexpected_character(&text[length..]));
    }
    let name = &text[..length];
    let literal = text[length..].starts_with(ends_literal);
    let token = match name {
        "true" if literal => Token::Bool(true),
        "false" if literal => Token::Bool(false),
        "null" if literal => Token::Null,
        "undefined" if literal => Token::Undefined,
        _ => Token::Id(name.into(), false),
    };
    Ok((token, length))
}

/// Returns the length of `-?[0-9]+(\.[0-9]+)?`.
fn number_length(text: &str) -> usize {
    let digits = |text: &str| text.bytes().take_while(u8::is_ascii_digit).count();
    let sign = usize::from(text.starts_with('-'));
    let whole = digits(&text[sign..]);
    if whole == 0 {
        return 0;
    }
    let length = sign + whole;
    let fraction = text[length..].strip_prefix('.').map_or(0, digits);
    if fraction == 0 { length } else { length + 1 + fraction }
}

fn is_of_name(c: char) -> bool {
    !is_blank(c)
        && !matches!(
            c,
            '!' | '"' | '#' | '%'..=',' | '.' | '/' | ';'..='>' | '@' | '['..='^' | '`' | '{'..='~'
        )
}

/// Returns whether a character can follow a name.
fn ends_name(c: char) -> bool {
    is_blank(c) || matches!(c, '=' | '~' | '}' | '/' | '.' | ')' | ']' | '|')
}

fn ends_literal(c: char) -> bool {
    is_blank(c) || matches!(c, '~' | '}' | ')' | ']')
}

fn unexpected_character(text: &str) -> ErrorKind {
    match text.chars().next() {
        Some(c) => ErrorKind::Unexpected(format!("`{c}`")),
        None => ErrorKind::UnclosedTag,
    }
}
