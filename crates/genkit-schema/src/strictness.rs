//! Strictness: how exactly arguments must fit their schema.

/// How arguments are read.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Default)]
pub enum Strictness {
    /// Exactly by the schema.
    Exact,
    /// A string that does not fit is read once more as JSON (`"5"` is 5, `"[1]"` is a list):
    /// models send these.
    #[default]
    Lenient,
    /// Every value comes as a string: prompt arguments and URI variables. An empty one that
    /// does not fit counts as not given.
    Text,
}
