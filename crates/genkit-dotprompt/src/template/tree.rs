//! The tree of a template.

use std::ops::Range;

use serde_json::Value;

use super::builtin::Builtin;

/// What stands between two tags of a block, or the whole template.
#[derive(Debug, Default)]
pub(crate) struct Program {
    pub(crate) nodes: Vec<Node>,
    /// `as |value key|`
    pub(crate) params: Vec<Box<str>>,
    /// Whether `nodes` has an `Inline`.
    pub(crate) has_inlines: bool,
    /// It is only the block of an `{{else if ..}}`.
    pub(super) chained: bool,
}

#[derive(Debug)]
pub(crate) enum Node {
    Text(Text),
    /// `{{name}}`, `{{helper value}}`
    Value(Call, Strip),
    Block(Box<Block>),
    Partial(Box<Partial>),
    /// `{{#*inline "name"}}`: writes nothing where it stands.
    Inline(Box<Inline>),
    Comment(Strip),
}

/// Text as it is written, and what is left of it without the blanks that its neighbours take.
#[derive(Debug)]
pub(crate) struct Text {
    pub(crate) value: Range<usize>,
    pub(super) original: Range<usize>,
    pub(super) left_stripped: bool,
    pub(super) right_stripped: bool,
}

/// The `~` of a tag.
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
    /// `{{#> name}}..{{/name}}`: what it hands over, and what stands in where there is none.
    pub(crate) block: Option<Program>,
    /// What stands before it on its line, where it is alone there.
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

/// A name with what is given to it.
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
    /// A helper of the environment: it has arguments.
    Helper(Box<str>),
    /// A helper of the environment if there is one by that name, else a variable.
    Maybe(Path),
    Variable(Path),
}

#[derive(Debug)]
pub(crate) enum Expr {
    /// None is `undefined`.
    Literal(Option<Value>),
    Path(Path),
    Call(Box<Call>),
}

/// `a.b`, `../a`, `@root.a`
#[derive(Clone, Debug, Default)]
pub(crate) struct Path {
    /// It begins with `@`.
    pub(crate) data: bool,
    /// How many `../`.
    pub(crate) depth: usize,
    pub(crate) parts: Vec<Box<str>>,
    /// It begins with `.` or `this`: never a helper, never a parameter of a block.
    pub(crate) scoped: bool,
    pub(crate) at: usize,
}

impl Node {
    /// The programs within it.
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
