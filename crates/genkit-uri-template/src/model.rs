//! What a template is made of.

use std::fmt;

/// A part of a template.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(crate) enum TemplatePart {
    /// Text, normalised.
    Literal { text: String, offset: usize },
    /// Braces and what is in them.
    Expression(Expression),
}

/// What is in a pair of braces.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(crate) struct Expression {
    pub(crate) operator: Operator,
    pub(crate) variables: Vec<VarSpec>,
    /// Where its `{` is.
    pub(crate) offset: usize,
}

/// A variable in an expression.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(crate) struct VarSpec {
    pub(crate) name: String,
    /// Whether a `*` makes it a list of values.
    pub(crate) explode: bool,
    pub(crate) offset: usize,
}

/// What an expression begins with.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Operator {
    /// `{x}`
    Simple,
    /// `{+x}`
    Reserved,
    /// `{#x}`
    Fragment,
    /// `{.x}`
    Label,
    /// `{/x}`
    Path,
    /// `{;x}`
    Parameter,
    /// `{?x}`
    Query,
    /// `{&x}`
    Continuation,
}

impl Operator {
    /// The operator that a character stands for.
    pub(crate) fn parse(symbol: u8) -> Option<Self> {
        Some(match symbol {
            b'+' => Self::Reserved,
            b'#' => Self::Fragment,
            b'.' => Self::Label,
            b'/' => Self::Path,
            b';' => Self::Parameter,
            b'?' => Self::Query,
            b'&' => Self::Continuation,
            _ => return None,
        })
    }

    /// What stands before the first value.
    pub(crate) fn first(self) -> &'static str {
        match self {
            Self::Simple | Self::Reserved => "",
            Self::Fragment => "#",
            Self::Label => ".",
            Self::Path => "/",
            Self::Parameter => ";",
            Self::Query => "?",
            Self::Continuation => "&",
        }
    }

    /// What stands between values.
    pub(crate) fn separator(self) -> &'static str {
        match self {
            Self::Simple | Self::Reserved | Self::Fragment => ",",
            Self::Query => "&",
            other => other.first(),
        }
    }

    /// Whether the name of a variable stands before its value.
    pub(crate) fn is_named(self) -> bool {
        matches!(self, Self::Parameter | Self::Query | Self::Continuation)
    }

    /// Whether values keep their delimiters.
    pub(crate) fn keeps_reserved(self) -> bool {
        matches!(self, Self::Reserved | Self::Fragment)
    }

    /// Whether a value may reach over several segments of a path.
    pub(crate) fn is_wide(self, explode: bool) -> bool {
        self == Self::Reserved || (self == Self::Path && explode)
    }
}

/// As it was written.
impl fmt::Display for TemplatePart {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Self::Literal { text, .. } => f.write_str(text),
            Self::Expression(expression) => expression.fmt(f),
        }
    }
}

/// As it was written.
impl fmt::Display for Expression {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let symbol = if self.operator == Operator::Reserved { "+" } else { self.operator.first() };
        write!(f, "{{{symbol}")?;
        for (index, VarSpec { name, explode, .. }) in self.variables.iter().enumerate() {
            let comma = if index > 0 { "," } else { "" };
            let star = if *explode { "*" } else { "" };
            write!(f, "{comma}{name}{star}")?;
        }
        f.write_str("}")
    }
}
