//! Parsing of the pieces of the lexer into a tree.

use std::ops::Range;

use super::LocatedError;
use super::lexer::{Piece, TagOpening};
use super::parser::{Helpers, Parser};
use super::tags::OpenTag;
use super::tree::{Block, BlockStrips, Inline, Node, Partial, Program, Strip, Text};
use crate::error_kind::ErrorKind;
use crate::limits::MAX_BLOCKS;

/// The reason why a program ended.
enum ProgramEnd {
    End,
    Else(Strip, usize),
    Chain(OpenTag),
    Close(EndTag),
}

/// `{{/name}}`
struct EndTag {
    written: String,
    strip: Strip,
    at: usize,
}

pub(super) fn parse_body(
    source: &str,
    body: Range<usize>,
) -> Result<(Program, Helpers), LocatedError> {
    let mut parser = Parser::new(source, body);
    let (program, stop) = parser.parse_program()?;
    match stop {
        ProgramEnd::End => Ok((program, parser.helpers)),
        ProgramEnd::Else(_, at) => Err((ErrorKind::ElseWithoutBlock, at)),
        ProgramEnd::Chain(tag) => Err((ErrorKind::ElseWithoutBlock, tag.at)),
        ProgramEnd::Close(close) => Err((ErrorKind::UnmatchedEndTag(close.written), close.at)),
    }
}

impl Parser<'_> {
    fn parse_program(&mut self) -> Result<(Program, ProgramEnd), LocatedError> {
        let mut program = Program::default();
        loop {
            let (opening, at, tilde) = match self.lexer.next_piece()? {
                Piece::End => return Ok((program, ProgramEnd::End)),
                Piece::Text(range) => {
                    program.nodes.push(Node::Text(unstripped_text(range)));
                    continue;
                }
                Piece::Tag(opening, at, tilde) => (opening, at, tilde),
            };
            let node = match opening {
                TagOpening::Comment(strip) => Node::Comment(strip),
                TagOpening::Else(strip) => return Ok((program, ProgramEnd::Else(strip, at))),
                TagOpening::Chain => {
                    return Ok((
                        program,
                        ProgramEnd::Chain(self.parse_open_tag(opening, at, tilde)?),
                    ));
                }
                TagOpening::End => {
                    let (written, strip) = self.parse_end_tag(at, tilde)?;
                    return Ok((program, ProgramEnd::Close(EndTag { written, strip, at })));
                }
                TagOpening::Value | TagOpening::Triple => self.value_tag(opening, at, tilde)?,
                TagOpening::Raw => self.parse_raw_block(at)?,
                TagOpening::Block | TagOpening::Inverse => {
                    let tag = self.parse_open_tag(opening, at, tilde)?;
                    self.parse_block(tag, opening == TagOpening::Inverse)?
                }
                TagOpening::Partial => {
                    Node::Partial(Box::new(self.parse_partial_tag(opening, at, tilde)?.0))
                }
                TagOpening::PartialBlock => {
                    let (partial, written) = self.parse_partial_tag(opening, at, tilde)?;
                    self.parse_partial_block(partial, &written)?
                }
                TagOpening::Decorator => {
                    let tag = self.parse_open_tag(opening, at, tilde)?;
                    program.has_inlines = true;
                    self.parse_inline(tag)?
                }
                TagOpening::DecoratorValue => return Err((ErrorKind::Decorator, at)),
            };
            program.nodes.push(node);
        }
    }

    fn enter_block(&mut self, at: usize) -> Result<(), LocatedError> {
        self.blocks += 1;
        if self.blocks > MAX_BLOCKS {
            return Err((ErrorKind::TooManyBlocks, at));
        }
        Ok(())
    }

    /// Parses a program with `params` as its block parameters.
    fn parse_program_with_params(
        &mut self,
        params: &[Box<str>],
    ) -> Result<(Program, ProgramEnd), LocatedError> {
        let before = self.params.len();
        self.params.extend_from_slice(params);
        let result = self.parse_program();
        self.params.truncate(before);
        result
    }

    fn parse_block(&mut self, tag: OpenTag, inverted: bool) -> Result<Node, LocatedError> {
        let written = tag.written.clone();
        let (mut block, close) = self.parse_rest_of_block(tag, false)?;
        if close.written != written {
            return Err((
                ErrorKind::MismatchedEndTag { open: written, closed: close.written },
                close.at,
            ));
        }
        if inverted {
            std::mem::swap(&mut block.program, &mut block.inverse);
        }
        Ok(Node::Block(Box::new(block)))
    }

    /// Parses the rest of a block up to its end tag, including every `{{else ..}}`.
    fn parse_rest_of_block(
        &mut self,
        tag: OpenTag,
        in_chain: bool,
    ) -> Result<(Block, EndTag), LocatedError> {
        self.enter_block(tag.at)?;
        let (mut program, stop) = self.parse_program_with_params(&tag.params)?;
        program.params = tag.params;
        let mut strips = BlockStrips { open: tag.strip, ..BlockStrips::default() };
        let (inverse, close) = match stop {
            ProgramEnd::Close(close) => (None, close),
            ProgramEnd::End => return Err((ErrorKind::UnclosedBlock(tag.written), tag.at)),
            ProgramEnd::Else(strip, _) => {
                strips.inverse = strip;
                let (inverse, stop) = self.parse_program()?;
                match stop {
                    ProgramEnd::Close(close) => (Some(inverse), close),
                    ProgramEnd::End => return Err((ErrorKind::UnclosedBlock(tag.written), tag.at)),
                    ProgramEnd::Else(_, at) => return Err((ErrorKind::SecondElse, at)),
                    ProgramEnd::Chain(tag) => return Err((ErrorKind::SecondElse, tag.at)),
                }
            }
            ProgramEnd::Chain(next) => {
                strips.inverse = next.strip;
                let (written, at) = (tag.written, tag.at);
                let (mut chained, close) =
                    self.parse_rest_of_block(next, true).map_err(|(fault, place)| {
                        match fault {
                            // Report the first tag of the chain, which is the one that must be closed.
                            ErrorKind::UnclosedBlock(_) => (ErrorKind::UnclosedBlock(written), at),
                            fault => (fault, place),
                        }
                    })?;
                // As in the reference implementation, only the first block of a chain uses the `~` of the end tag.
                chained.strips.close = if in_chain { chained.strips.open } else { close.strip };
                let nodes = vec![Node::Block(Box::new(chained))];
                (Some(Program { nodes, chained: true, ..Program::default() }), close)
            }
        };
        self.blocks -= 1;
        strips.close = close.strip;
        Ok((Block { call: tag.call, program: Some(program), inverse, strips }, close))
    }

    fn parse_partial_block(
        &mut self,
        mut partial: Partial,
        written: &str,
    ) -> Result<Node, LocatedError> {
        let (program, strip) = self.parse_plain_block(written, partial.at)?;
        partial.strips.close = strip;
        partial.block = Some(program);
        Ok(Node::Partial(Box::new(partial)))
    }

    fn parse_inline(&mut self, tag: OpenTag) -> Result<Node, LocatedError> {
        let (program, close) = self.parse_plain_block(&tag.written, tag.at)?;
        let name = match (tag.written.as_str(), tag.call.hash.is_empty()) {
            ("inline", true) => tag.call.params.into_iter().next(),
            _ => None,
        };
        let Some(name) = name else { return Err((ErrorKind::Decorator, tag.at)) };
        let strips = BlockStrips { open: tag.strip, close, ..BlockStrips::default() };
        Ok(Node::Inline(Box::new(Inline { name, program, at: tag.at, strips })))
    }

    /// Parses a program without `{{else}}`, up to its end tag.
    fn parse_plain_block(
        &mut self,
        written: &str,
        at: usize,
    ) -> Result<(Program, Strip), LocatedError> {
        self.enter_block(at)?;
        let (program, stop) = self.parse_program()?;
        self.blocks -= 1;
        match stop {
            ProgramEnd::Close(close) if close.written == written => Ok((program, close.strip)),
            ProgramEnd::Close(EndTag { written: closed, at, .. }) => {
                Err((ErrorKind::MismatchedEndTag { open: written.to_owned(), closed }, at))
            }
            ProgramEnd::End => Err((ErrorKind::UnclosedBlock(written.to_owned()), at)),
            ProgramEnd::Else(_, at) => Err((ErrorKind::ElseWithoutBlock, at)),
            ProgramEnd::Chain(tag) => Err((ErrorKind::ElseWithoutBlock, tag.at)),
        }
    }

    /// Parses a raw block, `{{{{name}}}}`, whose contents are treated as text.
    fn parse_raw_block(&mut self, at: usize) -> Result<Node, LocatedError> {
        let tag = self.parse_open_tag(TagOpening::Raw, at, false)?;
        let range = self.lexer.raw_text(&tag.written, at)?;
        let mut program = Program::default();
        if !range.is_empty() {
            program.nodes.push(Node::Text(unstripped_text(range)));
        }
        let strips = BlockStrips::default();
        Ok(Node::Block(Box::new(Block {
            call: tag.call,
            program: Some(program),
            inverse: None,
            strips,
        })))
    }
}

fn unstripped_text(range: Range<usize>) -> Text {
    Text { value: range.clone(), original: range, left_stripped: false, right_stripped: false }
}
