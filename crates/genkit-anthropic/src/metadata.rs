//! The keys of data that is sent back to Anthropic unchanged.

/// The key of a custom part that holds an encrypted thought.
pub(super) const REDACTED: &str = "redactedThinking";

/// The key of a custom part that holds another Anthropic block, such as a block of a server tool.
pub(super) const BLOCK: &str = "anthropicBlock";

/// The metadata key of the citations of a text part.
pub(super) const CITATIONS: &str = "citations";

/// The metadata key of a tool call's caller. It is set if code that runs at Anthropic made the call instead of the
/// model.
pub(super) const CALLER: &str = "caller";
