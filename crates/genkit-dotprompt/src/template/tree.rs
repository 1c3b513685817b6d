//! The syntax tree of a template.

use std::ops::Range;

use serde_json::Value;

use super::builtin::Builtin;

/// The contents of a block, or the whole template.
#[derive(Debug, Default)]
pub(crate) struct Program {
    pub(crate) nodes: Vec<Node>,
    /// `as |value key|`
    pub(crate) params: Vec<Box<str>>,
    /// Whether `nodes` contains an `Inline`.
    pub(crate) has_inlines: bool,
    /// Whether the program consists only of the block of an `{{else if ..}}`.
    pub(super) chained: bool,
}

#[derive(Debug)]
pub(crate) enum Node {
    Text(Text),
    /// `{{name}}`, `{{helper value}}`
    Value(Call, Strip),
    Block(Box<Block>),
    Partial(Box<Partial>),
    /// `{{#*inline "name"}}`, which writes nothing at its position.
    Inline(Box<Inline>),
    Comment(Strip),
}

/// A text node: its original range, and the range that remains after whitespace control.
#[derive(Debug)]
pub(crate) struct Text {
    pub(crate) value: Range<usize>,
    pub(super) original: Range<usize>,
    pub(super) left_stripped: bool,
    pub(super) right_stripped: bool,
}

/// Whether a tag has `~` at its opening and at its closing.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub(crate) struct Strip {
    pub(super) open: bool,
    pub(super) close: bool,
}

#[derive(Debug)]
pub(crate) struct Block {
    pub(crate) call: Call,
    pub(crate) program: Option<Program>,
    pub(crate) inverse: Option<Program>,
    pub(super) strips: BlockStrips,
}

#[derive(Clone, Copy, Debug, Default)]
pub(super) struct BlockStrips {
    pub(super) open: Strip,
    pub(super) inverse: Strip,
    pub(super) close: Strip,
}

#[derive(Debug)]
pub(crate) struct Partial {
    pub(crate) name: PartialName,
    pub(crate) context: Option<Expr>,
    pub(crate) hash: Vec<(Box<str>, Expr)>,
    /// `{{#> name}}..{{/name}}`: the block that is passed to the partial, and used as a fallback if the partial does
    /// not exist.
    pub(crate) block: Option<Program>,
    /// The whitespace before the tag, if the tag is alone on its line.
    pub(crate) indent: Range<usize>,
    pub(crate) at: usize,
    pub(super) strips: BlockStrips,
}

#[derive(Debug)]
pub(crate) enum PartialName {
    Static(Box<str>),
    /// `{{> @partial-block}}`
    Block,
    Dynamic(Expr),
}

#[derive(Debug)]
pub(crate) struct Inline {
    pub(crate) name: Expr,
    pub(crate) program: Program,
    pub(crate) at: usize,
    pub(super) strips: BlockStrips,
}

/// A name with its arguments.
#[derive(Debug)]
pub(crate) struct Call {
    pub(crate) head: Head,
    pub(crate) params: Vec<Expr>,
    pub(crate) hash: Vec<(Box<str>, Expr)>,
    pub(crate) at: usize,
}

#[derive(Debug)]
pub(crate) enum Head {
    Builtin(Builtin),
    /// A helper of the environment: the call has arguments or is a subexpression.
    Helper(Box<str>),
    /// A helper of the environment if a helper has this name, otherwise a variable.
    Maybe(Path),
    Variable(Path),
}

#[derive(Debug)]
pub(crate) enum Expr {
    /// A literal. `None` is `undefined`.
    Literal(Option<Value>),
    Path(Path),
    Call(Box<Call>),
}

/// `a.b`, `../a`, `@root.a`
#[derive(Clone, Debug, Default)]
pub(crate) struct Path {
    /// Whether the path starts with `@`.
    pub(crate) data: bool,
    /// The number of `../`.
    pub(crate) depth: usize,
    pub(crate) parts: Vec<Box<str>>,
    /// Whether the path starts with `.`, `..` or `this`. Such a path is never a helper or a block parameter.
    pub(crate) scoped: bool,
    pub(crate) at: usize,
}

impl Node {
    /// Returns the programs in the node.
    pub(crate) fn programs(&self) -> impl Iterator<Item = &Program> {
        let (one, other) = match self {
            Self::Block(block) => (block.program.as_ref(), block.inverse.as_ref()),
            Self::Partial(partial) => (partial.block.as_ref(), None),
            Self::Inline(inline) => (Some(&inline.program), None),
            Self::Text(_) | Self::Value(..) | Self::Comment(_) => (None, None),
        };
        one.into_iter().chain(other)
    }
}
