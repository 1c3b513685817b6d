use proptest::prelude::*;
use serde_json::{Value, json};

use super::{at, stream};
use genkit_core::ModelRequest;
use genkit_http_client::internal::sse::SseEvent;
use genkit_model::ChunkSink;
use genkit_model::internal::wire::WireFormat as _;

/// Generates JSON with the keys that the decoder reads, and arbitrary values.
fn any_json() -> impl Strategy<Value = Value> {
    let leaf = prop_oneof![
        Just(Value::Null),
        any::<bool>().prop_map(Value::from),
        any::<f64>().prop_map(Value::from),
        any::<i64>().prop_map(Value::from),
        "[a-z\\[\\]{}\":, ü0-9]{0,12}".prop_map(Value::from),
    ];
    let key = prop::sample::select(vec![
        "choices",
        "message",
        "delta",
        "content",
        "tool_calls",
        "function",
        "arguments",
        "name",
        "index",
        "id",
        "error",
        "usage",
        "prompt_tokens",
        "reasoning_details",
        "type",
        "text",
        "thinking",
        "code",
        "metadata",
        "raw",
        "detail",
        "logprobs",
        "finish_reason",
        "images",
        "image_url",
        "url",
        "extra_content",
        "refusal",
        "function_call",
        "x_groq",
    ]);
    leaf.prop_recursive(6, 48, 6, move |inner| {
        prop_oneof![
            prop::collection::vec(inner.clone(), 0..4).prop_map(Value::from),
            prop::collection::hash_map(key.clone(), inner, 0..6)
                .prop_map(|map| map.into_iter().map(|(k, v)| (k.to_owned(), v)).collect()),
        ]
    })
}

proptest! {
    #[test]
    fn hostile_server_output_never_panics(bodies in prop::collection::vec(any_json(), 1..5)) {
        let (wire, request) = (at("openrouter", "m"), ModelRequest::default());
        let mut open = wire.open_stream(&request);
        for body in &bodies {
            let text = body.to_string();
            drop(wire.decode_response(&request, text.as_bytes()));
            drop(wire.decode_response(&request, json!({"choices": [{"message": body}]}).to_string().as_bytes()));
            wire.decode_error(429, &|_| None, text.as_bytes()).to_string();
            drop(open.read_event(&SseEvent::Bare(&text), &ChunkSink::collect_chunks().0));
            drop(open.read_event(&SseEvent::Message { event: Some("error"), data: text.into() }, &ChunkSink::collect_chunks().0));
            let said = json!({"choices": [{"delta": body}]}).to_string();
            drop(open.read_event(&SseEvent::Message { event: None, data: said.into() }, &ChunkSink::collect_chunks().0));
        }
        drop(open.into_response());
    }

    #[test]
    fn arguments_are_the_same_however_they_are_cut(cuts in prop::collection::vec(0..30_usize, 0..6)) {
        let text = r#"{"city":"Zürich","n":[1,2.5]}"#;
        let mut at: Vec<usize> = cuts.into_iter().filter(|at| text.is_char_boundary(*at)).collect();
        at.extend([0, text.len()]);
        at.sort_unstable();
        let deltas: Vec<Value> = at.windows(2).map(|cut| json!({"delta": {"tool_calls": [
            {"index": 0, "id": "1", "function": {"name": "f", "arguments": &text[cut[0]..cut[1]]}}]}})).collect();
        let (response, _) = stream(&ModelRequest::default(), &deltas);
        let message = response.message.unwrap();
        let input = &message.tool_requests().next().unwrap().input;
        prop_assert_eq!(input, &serde_json::from_str::<Value>(text).unwrap());
    }
}
