//! Parsing of one tag, up to its `}}`.

use super::LocatedError;
use super::builtin::TagKind;
use super::call::{self, CallArguments, CallName};
use super::lexer::TagOpening;
use super::parser::Parser;
use super::token::Token;
use super::tree;
use super::tree::{BlockStrips, Call, Head, Node, Partial, PartialName, Strip};
use crate::error_kind::ErrorKind;

/// The opening tag of a block.
pub(super) struct OpenTag {
    pub(super) call: Call,
    /// The name in the source, which the end tag must repeat.
    pub(super) written: String,
    /// `as |value key|`
    pub(super) params: Vec<Box<str>>,
    pub(super) strip: Strip,
    pub(super) at: usize,
}

impl<'a> Parser<'a> {
    pub(super) fn parse_open_tag(
        &mut self,
        opening: TagOpening,
        at: usize,
        tilde: bool,
    ) -> Result<OpenTag, LocatedError> {
        let name = self.first_name(at)?;
        let written = name.written.clone().into_owned();
        let arguments = self.parse_arguments()?;
        let params = self.block_params()?;
        let close = self.parse_tag_close(at, opening)?;
        let mut call = match opening {
            TagOpening::Decorator => Call {
                head: Head::Variable(name.path),
                params: arguments.params,
                hash: arguments.hash,
                at,
            },
            _ => call::build_call(self, name, arguments, TagKind::Block)?,
        };
        call.at = at;
        if !params.is_empty() && !supports_block_params(&call) {
            return Err((ErrorKind::MissingBlockParams(written), at));
        }
        Ok(OpenTag { call, written, params, strip: Strip { open: tilde, close }, at })
    }

    fn first_name(&mut self, at: usize) -> Result<CallName<'a>, LocatedError> {
        match self.peek_token()? {
            (Token::Close(_) | Token::CloseTriple(_) | Token::CloseRaw, _) => {
                Err((ErrorKind::EmptyTag, at))
            }
            (Token::End, _) => Err((ErrorKind::UnclosedTag, at)),
            _ => self.parse_name(),
        }
    }

    fn block_params(&mut self) -> Result<Vec<Box<str>>, LocatedError> {
        let mut params = Vec::new();
        if self.peek_token()?.0 != Token::OpenParams {
            return Ok(params);
        }
        self.next()?;
        loop {
            match self.next()? {
                (Token::Id(name, _), _) => params.push(name.into()),
                (Token::CloseParams, _) if !params.is_empty() => return Ok(params),
                (other, at) => return Err(self.unexpected_token(&other, at)),
            }
        }
    }

    /// Parses the end of a tag. Returns whether it has a `~`.
    fn parse_tag_close(&mut self, start: usize, opening: TagOpening) -> Result<bool, LocatedError> {
        match (self.next()?, opening) {
            ((Token::CloseTriple(tilde), _), TagOpening::Triple) => Ok(tilde),
            ((Token::CloseRaw, _), TagOpening::Raw) => Ok(false),
            ((Token::Close(_), at), TagOpening::Triple | TagOpening::Raw) => {
                Err((ErrorKind::MissingBrace, at))
            }
            ((Token::Close(tilde), _), _) => Ok(tilde),
            ((Token::End, _), _) => Err((ErrorKind::UnclosedTag, start)),
            ((other, at), _) => Err(self.unexpected_token(&other, at)),
        }
    }

    /// Parses `{{/name}}`.
    pub(super) fn parse_end_tag(
        &mut self,
        at: usize,
        tilde: bool,
    ) -> Result<(String, Strip), LocatedError> {
        let name = self.first_name(at)?;
        let close = self.parse_tag_close(at, TagOpening::End)?;
        Ok((name.written.into_owned(), Strip { open: tilde, close }))
    }

    pub(super) fn value_tag(
        &mut self,
        opening: TagOpening,
        at: usize,
        tilde: bool,
    ) -> Result<Node, LocatedError> {
        let name = self.first_name(at)?;
        let arguments = self.parse_arguments()?;
        let close = self.parse_tag_close(at, opening)?;
        let mut call = call::build_call(self, name, arguments, TagKind::Tag)?;
        call.at = at;
        Ok(Node::Value(call, Strip { open: tilde, close }))
    }

    /// Parses the tag of a partial. Returns the partial, and its name as written in the source.
    pub(super) fn parse_partial_tag(
        &mut self,
        opening: TagOpening,
        at: usize,
        tilde: bool,
    ) -> Result<(Partial, String), LocatedError> {
        let (name, written) = match self.peek_token()? {
            (Token::OpenCall, place) => {
                self.next()?;
                (PartialName::Dynamic(self.parse_subexpression(place)?), String::new())
            }
            _ => {
                let CallName { path, written } = self.first_name(at)?;
                let written = written.into_owned();
                let block =
                    path.data && matches!(&path.parts[..], [name] if &**name == "partial-block");
                match block {
                    true => (PartialName::Block, written),
                    false => (PartialName::Static(written.as_str().into()), written),
                }
            }
        };
        let CallArguments { params, hash } = self.parse_arguments()?;
        let mut params = params.into_iter();
        let context = params.next();
        if params.next().is_some() {
            return Err((ErrorKind::PartialArguments, at));
        }
        let close = self.parse_tag_close(at, opening)?;
        let strips = BlockStrips { open: Strip { open: tilde, close }, ..BlockStrips::default() };
        Ok((Partial { name, context, hash, block: None, indent: 0..0, at, strips }, written))
    }
}

/// Returns whether a block supports parameters (`as |a b|`).
fn supports_block_params(call: &Call) -> bool {
    use tree::Head::*;
    match &call.head {
        Builtin(builtin) => matches!(builtin, super::Builtin::Each | super::Builtin::With),
        Helper(_) => false,
        Maybe(_) | Variable(_) => true,
    }
}
