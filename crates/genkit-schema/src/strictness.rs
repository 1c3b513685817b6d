//! Strictness: how exactly arguments must match their schema.

/// The strictness with which arguments are checked against their schema.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Default)]
pub enum Strictness {
    /// Arguments must match the schema exactly.
    Exact,
    /// A string that does not match is parsed as JSON (`"5"` becomes 5, `"[1]"` becomes a list), because models send
    /// such strings.
    #[default]
    Lenient,
    /// For prompt arguments and URI variables, whose values are always strings. An empty string that does not match
    /// counts as absent.
    Text,
}
