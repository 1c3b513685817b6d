//! The contents of a tag: paths, literals, subexpressions, `key=value`.

use std::borrow::Cow;

use serde_json::Value;

use super::LocatedError;
use super::builtin::TagKind;
use super::call::{self, CallArguments, CallName};
use super::parser::Parser;
use super::token::Token;
use super::tree::{Expr, Path};
use crate::error_kind::ErrorKind;
use crate::limits::MAX_SUBEXPRESSIONS;
use crate::text::is_blank;

impl<'a> Parser<'a> {
    pub(super) fn peek_token(&mut self) -> Result<(Token<'a>, usize), LocatedError> {
        if self.peeked.is_none() {
            self.peeked = Some(self.lexer.next_token()?);
        }
        // Filled above.
        Ok(self.peeked.clone().unwrap_or((Token::End, 0)))
    }

    pub(super) fn next(&mut self) -> Result<(Token<'a>, usize), LocatedError> {
        match self.peeked.take() {
            Some(token) => Ok(token),
            None => self.lexer.next_token(),
        }
    }

    pub(super) fn parse_name(&mut self) -> Result<CallName<'a>, LocatedError> {
        let (token, at) = self.next()?;
        let literal = match token {
            Token::Id(..) | Token::At => return self.parse_path(token, at),
            Token::Text(text) => text,
            Token::Number(number) => number.to_owned(),
            Token::Bool(value) => value.to_string(),
            Token::Null => "null".to_owned(),
            Token::Undefined => "undefined".to_owned(),
            other => return Err(self.unexpected_token(&other, at)),
        };
        let path = Path { parts: vec![literal.as_str().into()], at, ..Path::default() };
        Ok(CallName { path, written: literal.into() })
    }

    fn parse_path(&mut self, first: Token<'a>, at: usize) -> Result<CallName<'a>, LocatedError> {
        let mut path = Path { at, ..Path::default() };
        let mut written: Cow<'a, str> = Cow::Borrowed("");
        let mut token = (first, at);
        if token.0 == Token::At {
            path.data = true;
            written = Cow::Borrowed("@");
            token = self.next()?;
        }
        loop {
            let (Token::Id(part, bracketed), at) = token else {
                return Err(self.no_path(&token.0, token.1));
            };
            // Most paths are a single name, which needs no copy.
            match written.is_empty() {
                true => written = part.clone(),
                false => written.to_mut().push_str(&part),
            }
            match &*part {
                "." | ".." | "this" if !bracketed => {
                    if !path.parts.is_empty() {
                        return Err((ErrorKind::PathGoesBack(written.into_owned()), at));
                    }
                    path.depth += usize::from(part == "..");
                    path.scoped |= !path.data;
                }
                _ => path.parts.push(part.into()),
            }
            let Token::Separator(separator) = self.peek_token()?.0 else { break };
            self.next()?;
            written.to_mut().push(separator);
            token = self.next()?;
        }
        Ok(CallName { path, written })
    }

    fn no_path(&self, token: &Token<'_>, at: usize) -> LocatedError {
        match token {
            Token::Number(number) => (ErrorKind::NumberInPath((*number).to_owned()), at),
            other => self.unexpected_token(other, at),
        }
    }

    /// Parses arguments up to a token that ends the tag or the subexpression. That token is not consumed.
    pub(super) fn parse_arguments(&mut self) -> Result<CallArguments, LocatedError> {
        let mut arguments = CallArguments::default();
        loop {
            let (token, at) = self.peek_token()?;
            match token {
                Token::Close(_)
                | Token::CloseTriple(_)
                | Token::CloseRaw
                | Token::CloseCall
                | Token::OpenParams
                | Token::End => return Ok(arguments),
                Token::OpenCall => {
                    self.next()?;
                    let call = self.parse_subexpression(at)?;
                    self.push_positional(&mut arguments, call, at)?;
                }
                Token::Id(..) | Token::At => {
                    let rest = self.lexer.cursor.remaining_text().trim_start_matches(is_blank);
                    let is_key = matches!(token, Token::Id(..)) && rest.starts_with('=');
                    if is_key {
                        self.parse_key_value(&mut arguments)?;
                    } else {
                        let path = Expr::Path(self.parse_name()?.path);
                        self.push_positional(&mut arguments, path, at)?;
                    }
                }
                _ => {
                    let literal = self.parse_literal()?;
                    self.push_positional(&mut arguments, literal, at)?;
                }
            }
        }
    }

    /// Adds a positional value. It must come before `key=value`.
    fn push_positional(
        &self,
        arguments: &mut CallArguments,
        value: Expr,
        at: usize,
    ) -> Result<(), LocatedError> {
        if !arguments.hash.is_empty() {
            return Err((ErrorKind::ValueAfterKey, at));
        }
        arguments.params.push(value);
        Ok(())
    }

    fn parse_key_value(&mut self, arguments: &mut CallArguments) -> Result<(), LocatedError> {
        let (Token::Id(key, _), at) = self.next()? else { return Ok(()) };
        self.next()?;
        let (token, value_at) = self.peek_token()?;
        let value = match token {
            Token::OpenCall => {
                self.next()?;
                self.parse_subexpression(value_at)?
            }
            Token::Id(..) | Token::At => Expr::Path(self.parse_name()?.path),
            _ => self.parse_literal()?,
        };
        if arguments.hash.iter().any(|(known, _)| **known == *key) {
            return Err((ErrorKind::DuplicateArgument(key.into_owned()), at));
        }
        arguments.hash.push((key.into(), value));
        Ok(())
    }

    fn parse_literal(&mut self) -> Result<Expr, LocatedError> {
        let (token, at) = self.next()?;
        Ok(Expr::Literal(match token {
            Token::Text(text) => Some(Value::String(text)),
            Token::Number(number) => Some(parse_number(number)),
            Token::Bool(value) => Some(Value::Bool(value)),
            Token::Null => Some(Value::Null),
            Token::Undefined => None,
            other => return Err(self.unexpected_token(&other, at)),
        }))
    }

    /// Parses a subexpression after its `(`.
    pub(super) fn parse_subexpression(&mut self, at: usize) -> Result<Expr, LocatedError> {
        if self.subexpressions >= MAX_SUBEXPRESSIONS {
            return Err((ErrorKind::TooManySubexpressions, at));
        }
        self.subexpressions += 1;
        let name = self.parse_name()?;
        let arguments = self.parse_arguments()?;
        self.subexpressions -= 1;
        match self.next()? {
            (Token::CloseCall, _) => {}
            (Token::End | Token::Close(_), _) => return Err((ErrorKind::UnclosedCall, at)),
            (other, at) => return Err(self.unexpected_token(&other, at)),
        }
        Ok(Expr::Call(Box::new(call::build_call(self, name, arguments, TagKind::Value)?)))
    }
}

fn parse_number(text: &str) -> Value {
    let whole = text.parse::<i64>().map(Value::from);
    whole.unwrap_or_else(|_| text.parse::<f64>().map_or(Value::Null, Value::from))
}
