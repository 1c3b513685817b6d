//! Keys of what Anthropic gets back as it came.

/// Of a custom part: a thought that is encrypted.
pub(super) const REDACTED: &str = "redactedThinking";

/// Of a custom part: a block of Anthropic's own, as that of a tool that ran there.
pub(super) const BLOCK: &str = "anthropicBlock";

/// In the metadata of text: what it was taken from.
pub(super) const CITATIONS: &str = "citations";

/// In the metadata of a call: code at Anthropic made it, and not the model itself.
pub(super) const CALLER: &str = "caller";
