//! Conversion of an exact schema into another dialect: limits and losses.

/// The maximum number of schemas inside a converted schema. Default is 2,000.
///
/// A schema can grow without limit if every reference is inlined. A schema above this limit is cut at a fixed depth of
/// references: the largest depth whose result is within the limit.
pub const MAX_NODES: usize = 2_000;

/// The maximum nesting of schemas. Default is 32.
///
/// Each schema takes up to four levels of JSON, and common parsers accept 128 levels.
pub const MAX_DEPTH: usize = 32;

/// A loss: a part of the exact schema that the converted schema cannot express.
#[derive(Debug, Clone, PartialEq, Eq, PartialOrd, Ord)]
pub struct Loss {
    /// The position in the exact schema, as a JSON pointer.
    pub pointer: String,
    /// A description of the loss.
    pub what: String,
    /// A remedy for the author of the type.
    pub remedy: String,
}

/// Logs a warning for each loss of a schema. `owner` is the tool or the output that has the schema.
pub fn warn_losses(provider: &str, owner: &str, losses: Vec<Loss>) {
    for Loss { pointer, what, remedy } in losses {
        tracing::warn!(owner, pointer, remedy, "a schema loses information for {provider}: {what}");
    }
}
