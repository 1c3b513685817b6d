//! Keys in the metadata of parts, and of custom parts: what goes back to the API as it came.

/// The id of a reasoning item.
pub(super) const ID: &str = "id";

/// What a model thought, encrypted.
pub(super) const ENCRYPTED: &str = "encryptedContent";

/// The summaries of a reasoning item, where they are not one.
pub(super) const SUMMARY: &str = "summary";

/// The thoughts themselves, which open models show.
pub(super) const CONTENT: &str = "reasoningContent";

/// The id of the item of a text or a call. The API wants it back where the reasoning before it has its own.
pub(super) const ITEM_ID: &str = "itemId";

/// Whether a text is commentary or the final answer.
pub(super) const PHASE: &str = "phase";

/// The key of a custom part that is an item of the API as it was.
pub(super) const ITEM: &str = "openaiItem";
