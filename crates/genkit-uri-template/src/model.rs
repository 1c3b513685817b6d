//! The parts of a template.

use std::fmt;

/// A part of a template.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(crate) enum TemplatePart {
    /// Text, normalized.
    Literal { text: String, offset: usize },
    /// An expression in braces.
    Expression(Expression),
}

/// The contents of a pair of braces.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(crate) struct Expression {
    pub(crate) operator: Operator,
    pub(crate) variables: Vec<VarSpec>,
    /// The position of the `{`, in bytes.
    pub(crate) offset: usize,
}

/// A variable in an expression.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(crate) struct VarSpec {
    pub(crate) name: String,
    /// Whether the variable ends with `*`, which makes it a list of values.
    pub(crate) explode: bool,
    pub(crate) offset: usize,
}

/// The operator of an expression.
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
    /// Returns the operator for a character.
    pub(crate) fn from_symbol(symbol: u8) -> Option<Self> {
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

    /// Returns the text before the first value.
    pub(crate) fn leading_text(self) -> &'static str {
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

    /// Returns the text between values.
    pub(crate) fn separator(self) -> &'static str {
        match self {
            Self::Simple | Self::Reserved | Self::Fragment => ",",
            Self::Query => "&",
            other => other.leading_text(),
        }
    }

    /// Returns whether the name of a variable is written before its value.
    pub(crate) fn is_named(self) -> bool {
        matches!(self, Self::Parameter | Self::Query | Self::Continuation)
    }

    /// Returns whether delimiters in values are not encoded.
    pub(crate) fn keeps_reserved(self) -> bool {
        matches!(self, Self::Reserved | Self::Fragment)
    }

    /// Returns whether a value can span several segments of a path.
    pub(crate) fn is_wide(self, explode: bool) -> bool {
        self == Self::Reserved || (self == Self::Path && explode)
    }
}

/// Formats the part in template syntax.
impl fmt::Display for TemplatePart {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Self::Literal { text, .. } => f.write_str(text),
            Self::Expression(expression) => expression.fmt(f),
        }
    }
}

/// Formats the expression in template syntax.
impl fmt::Display for Expression {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let symbol =
            if self.operator == Operator::Reserved { "+" } else { self.operator.leading_text() };
        write!(f, "{{{symbol}")?;
        for (index, VarSpec { name, explode, .. }) in self.variables.iter().enumerate() {
            let comma = if index > 0 { "," } else { "" };
            let star = if *explode { "*" } else { "" };
            write!(f, "{comma}{name}{star}")?;
        }
        f.write_str("}")
    }
}
