//! Request ids as servers return them.

use rmcp::model::RequestId;

/// Returns whether an id from a server refers to ours: servers may return `"7"` for `7`, which rmcp accepts.
pub(crate) fn is_same_id(theirs: &RequestId, ours: &RequestId) -> bool {
    match (theirs, ours) {
        (RequestId::String(text), RequestId::Number(number)) => text.parse() == Ok(*number),
        (theirs, ours) => theirs == ours,
    }
}
