//! Strictness: how exactly arguments must match their schema.

/// The strictness with which arguments are read.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Default)]
pub enum Strictness {
    /// Arguments must match the schema exactly.
    Exact,
    /// A string that does not match is parsed as JSON (`"5"` becomes 5, `"[1]"` becomes a list), because models send
    /// such strings.
    #[default]
    Lenient,
    /// Every value is sent as a string: prompt arguments and URI variables. An empty string that does not match counts
    /// as absent.
    Text,
}
