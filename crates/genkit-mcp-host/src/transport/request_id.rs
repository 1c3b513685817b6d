//! Request ids as servers give them back.

use rmcp::model::RequestId;

/// Whether an id of a server means this one of ours: servers may give `"7"` for `7`, as rmcp accepts it.
pub(crate) fn means(theirs: &RequestId, ours: &RequestId) -> bool {
    match (theirs, ours) {
        (RequestId::String(text), RequestId::Number(number)) => text.parse() == Ok(*number),
        (theirs, ours) => theirs == ours,
    }
}
