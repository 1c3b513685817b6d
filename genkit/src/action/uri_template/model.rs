//! What a template is made of.

/// A piece of a template.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(super) enum Part {
    /// Text, normalised.
    Literal { text: String, offset: usize },
    /// Braces and what is in them.
    Expression(Expression),
}

/// What is in a pair of braces.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(super) struct Expression {
    pub operator: Operator,
    pub variables: Vec<Variable>,
    /// Where its `{` is.
    pub offset: usize,
}

/// A name in an expression.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(super) struct Variable {
    pub name: String,
    /// Whether a `*` makes it a list of values.
    pub explode: bool,
    pub offset: usize,
}

/// What an expression begins with.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum Operator {
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

/// A variable as seen from its values.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) struct Kind {
    pub operator: Operator,
    pub explode: bool,
}

impl Operator {
    /// The operator that a character stands for.
    pub(super) fn read(symbol: u8) -> Option<Self> {
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
    pub(super) fn first(self) -> &'static str {
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
    pub(super) fn separator(self) -> &'static str {
        match self {
            Self::Simple | Self::Reserved | Self::Fragment => ",",
            Self::Query => "&",
            other => other.first(),
        }
    }

    /// Whether the name of a variable stands before its value.
    pub(super) fn is_named(self) -> bool {
        matches!(self, Self::Parameter | Self::Query | Self::Continuation)
    }

    /// Whether values keep their delimiters.
    pub(super) fn keeps_reserved(self) -> bool {
        matches!(self, Self::Reserved | Self::Fragment)
    }
}

impl Expression {
    /// Its variables, as seen from their values.
    pub(super) fn kinds(&self) -> impl Iterator<Item = Kind> {
        self.variables
            .iter()
            .map(|variable| Kind { operator: self.operator, explode: variable.explode })
    }
}

impl Kind {
    /// Whether a value may reach over several segments of a path.
    pub(super) fn is_wide(self) -> bool {
        self.operator == Operator::Reserved || (self.operator == Operator::Path && self.explode)
    }
}
