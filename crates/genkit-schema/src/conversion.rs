//! Conversion of an exact schema into another dialect: its limits, and what gets lost.

/// How many schemas a converted schema may have inside. Default is 2,000.
///
/// Inlining a type wherever it is named can grow without end. A schema above this is cut at the same depth of
/// references everywhere, the deepest at which it fits.
pub const MAX_NODES: usize = 2_000;

/// How many schemas may be inside each other. Default is 32.
///
/// Each takes up to four levels of JSON, of which common parsers read 128.
pub const MAX_DEPTH: usize = 32;

/// A loss: one thing that the converted schema cannot express.
#[derive(Debug, Clone, PartialEq, Eq, PartialOrd, Ord)]
pub struct Degraded {
    /// Where in the exact schema, as a JSON pointer.
    pub pointer: String,
    /// What was lost.
    pub what: String,
    /// What the author of the type can do about it.
    pub remedy: String,
}
