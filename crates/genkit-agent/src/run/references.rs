//! Ids of tool calls: each call has a unique id, which its response repeats.

use std::collections::HashSet;
use std::hash::{BuildHasher as _, RandomState};
use std::sync::atomic::{AtomicU64, Ordering};
use std::sync::{Arc, LazyLock, Mutex};

use genkit_core::GenerateChunk;
use genkit_core::internal::model::GENERATED_REF;
use genkit_core::internal::sync::lock;
use genkit_core::{Message, Part, ToolRequest};

/// The ids that were assigned to the calls of one response while it was streamed, with the names of their tools.
#[derive(Clone, Default)]
pub(super) struct StreamedReferences(Arc<Mutex<Vec<(String, String)>>>);

impl StreamedReferences {
    /// Adds an id to each call without an id in a chunk, so that readers of the stream can match the response to the
    /// call.
    pub(super) fn add_to_chunk(&self, chunk: &mut GenerateChunk) {
        for part in &mut chunk.content {
            if let Part::ToolRequest { tool_request, .. } = part
                && !tool_request.partial
                && model_reference(tool_request).is_none()
            {
                let generated = generate();
                lock(&self.0).push((tool_request.name.clone(), generated.clone()));
                tool_request.id = Some(generated);
            }
        }
    }

    /// Assigns a unique id to each call of the complete message: the id that it was streamed with, or a new id if the
    /// model sent none or a duplicate.
    pub(super) fn add_to_message(&self, message: &mut Message) {
        if are_all_given(message) {
            return;
        }
        let mut streamed = lock(&self.0);
        let mut taken: HashSet<String> = HashSet::new();
        for part in &mut message.content {
            let Part::ToolRequest { tool_request, metadata, .. } = part else { continue };
            let given = model_reference(tool_request);
            if let Some(given) = given
                && taken.insert(given.to_owned())
            {
                continue;
            }
            let same = |(name, _): &(String, String)| *name == tool_request.name;
            let is_new = given.is_none() && !tool_request.partial;
            let at = streamed.iter().position(same).filter(|_| is_new);
            let reference = at.map_or_else(generate, |at| streamed.remove(at).1);
            taken.insert(reference.clone());
            tool_request.id = Some(reference);
            metadata.insert(GENERATED_REF.to_owned(), true.into());
        }
    }
}

/// Returns whether each call of a message has a unique id. Returns `false` if there are too many calls to compare
/// without a set.
fn are_all_given(message: &Message) -> bool {
    const FEW: usize = 8;
    let mut seen = [""; FEW];
    let calls = message.content.iter().filter_map(Part::as_tool_request);
    for (at, call) in calls.enumerate() {
        match model_reference(call) {
            Some(given) if at < FEW && !seen[..at].contains(&given) => seen[at] = given,
            _ => return false,
        }
    }
    true
}

fn model_reference(request: &ToolRequest) -> Option<&str> {
    request.id.as_deref().filter(|reference| !reference.is_empty())
}

/// Returns an id that is unique in this process and very likely unique across processes, since another process may
/// continue a stored history.
fn generate() -> String {
    static SEED: LazyLock<u64> = LazyLock::new(|| RandomState::new().hash_one(0));
    static COUNT: AtomicU64 = AtomicU64::new(0);
    format_reference(
        *SEED ^ COUNT.fetch_add(1, Ordering::Relaxed).wrapping_mul(0x9e37_79b9_7f4a_7c15),
    )
}

/// Formats a number as nine letters and digits, the only format that the strictest provider accepts.
fn format_reference(number: u64) -> String {
    let digit = |place: u32| {
        let digit = (number / 36_u64.pow(place) % 36) as u8;
        char::from(if digit < 10 { b'0' + digit } else { b'a' + digit - 10 })
    };
    (0..9).rev().map(digit).collect()
}

#[cfg(test)]
mod tests {
    use serde_json::json;

    use super::*;
    use genkit_core::Role;

    fn call(name: &str, reference: Option<&str>) -> Part {
        let request = ToolRequest::new(name, json!({}));
        match reference {
            Some(reference) => request.with_id(reference).into(),
            None => request.into(),
        }
    }

    fn references(parts: &[Part]) -> Vec<&str> {
        parts.iter().filter_map(|part| part.as_tool_request()?.id.as_deref()).collect()
    }

    fn is_marked(part: &Part) -> bool {
        part.metadata().get(GENERATED_REF).is_some_and(|mark| mark == true)
    }

    #[test]
    fn references_are_nine_letters_and_digits() {
        for number in [0, 35, 36, 36_u64.pow(9) - 1, u64::MAX] {
            let spelled = format_reference(number);
            assert_eq!(spelled.len(), 9);
            assert!(spelled.chars().all(|c| c.is_ascii_lowercase() || c.is_ascii_digit()));
        }
        assert_eq!(
            (format_reference(0), format_reference(36)),
            ("000000000".into(), "000000010".into())
        );
        assert_ne!(generate(), generate());
    }

    #[test]
    fn given_refs_are_kept_and_missing_refs_are_generated_and_marked() {
        let missing = [call("a", Some("x")), call("a", None), call("b", Some("")), call("b", None)];
        let mut message = Message::new(Role::Model, missing);
        StreamedReferences::default().add_to_message(&mut message);
        let marked: Vec<bool> = message.content.iter().map(is_marked).collect();
        assert_eq!(marked, [false, true, true, true]);
        let references = references(&message.content);
        assert_eq!(references[0], "x");
        assert_eq!(HashSet::<&str>::from_iter(references.iter().copied()).len(), 4);
    }

    #[test]
    fn one_that_is_given_twice_is_replaced_once() {
        let mut message = Message::new(Role::Model, [call("a", Some("x")), call("b", Some("x"))]);
        StreamedReferences::default().add_to_message(&mut message);
        let marked: Vec<bool> = message.content.iter().map(is_marked).collect();
        assert_eq!(marked, [false, true]);
        assert_eq!(references(&message.content)[0], "x");
        assert_ne!(references(&message.content)[1], "x");
    }

    #[test]
    fn streamed_call_keeps_its_ref_among_calls_of_the_same_tool() {
        let streamed = StreamedReferences::default();
        let mut chunks: Vec<GenerateChunk> =
            ["b", "a", "b"].map(|name| GenerateChunk::new([call(name, None)])).into();
        chunks.iter_mut().for_each(|chunk| streamed.add_to_chunk(chunk));
        let shown: Vec<&str> = chunks.iter().flat_map(|chunk| references(&chunk.content)).collect();
        let mut message =
            Message::new(Role::Model, ["b", "a", "b", "c"].map(|name| call(name, None)));
        streamed.add_to_message(&mut message);
        let references = references(&message.content);
        assert_eq!(references[..3], shown);
        assert!(!shown.contains(&references[3]));
        assert!(message.content.iter().all(is_marked));
    }

    #[test]
    fn call_that_is_still_being_written_has_none_in_the_stream() {
        let mut request = ToolRequest::new("a", json!({}));
        request.partial = true;
        let mut chunk = GenerateChunk::new([request.into()]);
        StreamedReferences::default().add_to_chunk(&mut chunk);
        assert!(references(&chunk.content).is_empty());
    }
}
