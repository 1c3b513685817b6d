//! The metadata keys of data that is sent back to a server unchanged.

/// The extra content of a part, such as a thought signature.
pub(super) const EXTRA_CONTENT: &str = "extraContent";

/// OpenRouter's reasoning details.
pub(super) const REASONING_DETAILS: &str = "reasoningDetails";
