//! The metadata keys of data that is sent back to the API unchanged, in parts and custom parts.

/// The id of a reasoning item.
pub(super) const ID: &str = "id";

/// The encrypted thoughts of a model.
pub(super) const ENCRYPTED: &str = "encryptedContent";

/// The summaries of a reasoning item, unless there is exactly one.
pub(super) const SUMMARY: &str = "summary";

/// The raw thoughts, which open models return.
pub(super) const CONTENT: &str = "reasoningContent";

/// The id of the item of a text part or a call. The API requires this id if the preceding reasoning item is sent with
/// an id.
pub(super) const ITEM_ID: &str = "itemId";

/// The namespace of the tool of a call. The API requires the namespace if the API's search found the tool.
pub(super) const NAMESPACE: &str = "namespace";

/// Whether a text part is commentary or the final answer.
pub(super) const PHASE: &str = "phase";

/// The key of a custom part that holds an unchanged item of the API.
pub(super) const ITEM: &str = "openaiItem";
