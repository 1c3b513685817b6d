//! Keys in the metadata of parts: what a server gets back as it came.

/// What a server put beside a part: a thought signature.
pub(super) const EXTRA_CONTENT: &str = "extraContent";

/// OpenRouter's details of thoughts.
pub(super) const REASONING_DETAILS: &str = "reasoningDetails";
