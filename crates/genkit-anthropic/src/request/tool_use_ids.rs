//! The ids that connect tool calls and their results.

use std::collections::HashSet;

use genkit_core::{ToolRequest, ToolResponse};

/// Assigns each call a unique id that the API accepts, and the same id to its result.
#[derive(Default)]
pub(super) struct ToolUseIds<'a> {
    used: HashSet<String>,
    /// The calls of the last turn that have no result so far.
    open: Vec<OpenCall<'a>>,
}

struct OpenCall<'a> {
    reference: &'a str,
    name: &'a str,
    id: String,
}

impl<'a> ToolUseIds<'a> {
    pub(super) fn id_for_call(&mut self, call: &'a ToolRequest) -> String {
        let reference = call.id.as_deref().unwrap_or_default();
        let fitting = fit_id(reference);
        let mut id = fitting.clone();
        let mut number = 1;
        // Some histories restart the numbering of calls in each turn, but the API requires unique
        // ids.
        while !self.used.insert(id.clone()) {
            number += 1;
            id = format!("{fitting}_{number}");
        }
        self.open.push(OpenCall { reference, name: &call.name, id: id.clone() });
        id
    }

    /// Returns the id of the call that `answer` responds to, or `None` if the last turn has no such
    /// call.
    pub(super) fn id_for_result(&mut self, answer: &ToolResponse) -> Option<String> {
        let reference = answer.id.as_deref().unwrap_or_default();
        let by_name = |call: &OpenCall<'_>| call.name == answer.name;
        let at = self.open.iter().position(|call| match (reference, call.reference) {
            // Results without a reference are in the order of the calls.
            ("", _) | (_, "") => by_name(call),
            (mine, its) => mine == its,
        })?;
        Some(self.open.remove(at).id)
    }

    /// Removes and returns the ids of the calls without a result.
    pub(super) fn take_unanswered(&mut self) -> impl Iterator<Item = String> {
        self.open.drain(..).map(|call| call.id)
    }
}

/// Returns the reference if the API accepts it. Otherwise returns an id that is derived from it
/// deterministically.
fn fit_id(reference: &str) -> String {
    let is_safe = |byte: u8| byte.is_ascii_alphanumeric() || byte == b'_' || byte == b'-';
    if !reference.is_empty() && reference.bytes().all(is_safe) {
        return reference.to_owned();
    }
    if reference.is_empty() {
        return "toolu_without_ref".to_owned();
    }
    // FNV-1a, which is the same in every process, so that a cached prompt stays valid.
    let hash = reference.bytes().fold(0xcbf2_9ce4_8422_2325_u64, |hash, byte| {
        (hash ^ u64::from(byte)).wrapping_mul(0x0100_0000_01b3)
    });
    format!("toolu_{hash:016x}")
}

#[cfg(test)]
mod tests {
    use serde_json::Value;

    use super::*;

    #[test]
    fn call_and_result_share_a_unique_id() {
        let call = |id: &str| ToolRequest::new("a", Value::Null).with_id(id);
        let calls = [call("ok_1"), call("x/y"), call("ok_1"), ToolRequest::new("b", Value::Null)];
        let mut ids = ToolUseIds::default();
        let sent: Vec<_> = calls.iter().map(|call| ids.id_for_call(call)).collect();
        assert_eq!(sent[0], "ok_1");
        assert!(sent[1].starts_with("toolu_") && sent[1].len() == 22, "{}", sent[1]);
        assert_eq!((&*sent[2], &*sent[3]), ("ok_1_2", "toolu_without_ref"));
        let mut answer = |call: &ToolRequest| ids.id_for_result(&call.respond(1));
        let order = [1, 3, 0, 2];
        assert_eq!(order.map(|at| answer(&calls[at]).unwrap()), order.map(|at| sent[at].clone()));
        assert_eq!(answer(&calls[0]), None);
    }
}
