//! The contents of a tag: paths, literals, subexpressions, `key=value`.

use std::borrow::Cow;

use serde_json::Value;

use super::Mistake;
use super::builtin::Standing;
use super::call::{self, CallArguments, CallName};
use super::parser::Parser;
use super::token::Token;
use super::tree::{Expr, Path};
use crate::fault::Fault;
use crate::limits::MAX_SUBEXPRESSIONS;
use crate::text::is_blank;

impl<'a> Parser<'a> {
    pub(super) fn peek(&mut self) -> Result<(Token<'a>, usize), Mistake> {
        if self.peeked.is_none() {
            self.peeked = Some(self.lexer.token()?);
        }
        // Filled above.
        Ok(self.peeked.clone().unwrap_or((Token::End, 0)))
    }

    pub(super) fn next(&mut self) -> Result<(Token<'a>, usize), Mistake> {
        match self.peeked.take() {
            Some(token) => Ok(token),
            None => self.lexer.token(),
        }
    }

    pub(super) fn name(&mut self) -> Result<CallName<'a>, Mistake> {
        let (token, at) = self.next()?;
        let literal = match token {
            Token::Id(..) | Token::At => return self.path(token, at),
            Token::Text(text) => text,
            Token::Number(number) => number.to_owned(),
            Token::Bool(value) => value.to_string(),
            Token::Null => "null".to_owned(),
            Token::Undefined => "undefined".to_owned(),
            other => return Err(self.unexpected(&other, at)),
        };
        let path = Path { parts: vec![literal.as_str().into()], at, ..Path::default() };
        Ok(CallName { path, written: literal.into() })
    }

    fn path(&mut self, first: Token<'a>, at: usize) -> Result<CallName<'a>, Mistake> {
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
                        return Err((Fault::PathGoesBack(written.into_owned()), at));
                    }
                    path.depth += usize::from(part == "..");
                    path.scoped |= !path.data;
                }
                _ => path.parts.push(part.into()),
            }
            let Token::Separator(separator) = self.peek()?.0 else { break };
            self.next()?;
            written.to_mut().push(separator);
            token = self.next()?;
        }
        Ok(CallName { path, written })
    }

    fn no_path(&self, token: &Token<'_>, at: usize) -> Mistake {
        match token {
            Token::Number(number) => (Fault::NumberInPath((*number).to_owned()), at),
            other => self.unexpected(other, at),
        }
    }

    /// Parses arguments up to a token that ends the tag or the subexpression. That token is not consumed.
    pub(super) fn arguments(&mut self) -> Result<CallArguments, Mistake> {
        let mut arguments = CallArguments::default();
        loop {
            let (token, at) = self.peek()?;
            match token {
                Token::Close(_)
                | Token::CloseTriple(_)
                | Token::CloseRaw
                | Token::CloseCall
                | Token::OpenParams
                | Token::End => return Ok(arguments),
                Token::OpenCall => {
                    self.next()?;
                    let call = self.subexpression(at)?;
                    self.push(&mut arguments, call, at)?;
                }
                Token::Id(..) | Token::At => {
                    let rest = self.lexer.cursor.rest().trim_start_matches(is_blank);
                    let is_key = matches!(token, Token::Id(..)) && rest.starts_with('=');
                    if is_key {
                        self.hash(&mut arguments)?;
                    } else {
                        let path = Expr::Path(self.name()?.path);
                        self.push(&mut arguments, path, at)?;
                    }
                }
                _ => {
                    let literal = self.literal()?;
                    self.push(&mut arguments, literal, at)?;
                }
            }
        }
    }

    /// Positional values must come before `key=value`.
    fn push(&self, arguments: &mut CallArguments, value: Expr, at: usize) -> Result<(), Mistake> {
        if !arguments.hash.is_empty() {
            return Err((Fault::ValueAfterKey, at));
        }
        arguments.params.push(value);
        Ok(())
    }

    fn hash(&mut self, arguments: &mut CallArguments) -> Result<(), Mistake> {
        let (Token::Id(key, _), at) = self.next()? else { return Ok(()) };
        self.next()?;
        let (token, value_at) = self.peek()?;
        let value = match token {
            Token::OpenCall => {
                self.next()?;
                self.subexpression(value_at)?
            }
            Token::Id(..) | Token::At => Expr::Path(self.name()?.path),
            _ => self.literal()?,
        };
        if arguments.hash.iter().any(|(known, _)| **known == *key) {
            return Err((Fault::ArgumentTwice(key.into_owned()), at));
        }
        arguments.hash.push((key.into(), value));
        Ok(())
    }

    fn literal(&mut self) -> Result<Expr, Mistake> {
        let (token, at) = self.next()?;
        Ok(Expr::Literal(match token {
            Token::Text(text) => Some(Value::String(text)),
            Token::Number(number) => Some(number_of(number)),
            Token::Bool(value) => Some(Value::Bool(value)),
            Token::Null => Some(Value::Null),
            Token::Undefined => None,
            other => return Err(self.unexpected(&other, at)),
        }))
    }

    /// Parses a subexpression after its `(`.
    pub(super) fn subexpression(&mut self, at: usize) -> Result<Expr, Mistake> {
        if self.subexpressions >= MAX_SUBEXPRESSIONS {
            return Err((Fault::TooManySubexpressions, at));
        }
        self.subexpressions += 1;
        let name = self.name()?;
        let arguments = self.arguments()?;
        self.subexpressions -= 1;
        match self.next()? {
            (Token::CloseCall, _) => {}
            (Token::End | Token::Close(_), _) => return Err((Fault::CallNotClosed, at)),
            (other, at) => return Err(self.unexpected(&other, at)),
        }
        Ok(Expr::Call(Box::new(call::of(self, name, arguments, Standing::Value)?)))
    }
}

fn number_of(text: &str) -> Value {
    let whole = text.parse::<i64>().map(Value::from);
    whole.unwrap_or_else(|_| text.parse::<f64>().map_or(Value::Null, Value::from))
}
