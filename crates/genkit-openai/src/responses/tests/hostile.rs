use proptest::prelude::*;
use serde_json::{Value, json};

use super::{at, read};
use genkit_core::Message;
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
        any::<u64>().prop_map(Value::from),
        "[a-z\\[\\]{}\":, ü0-9]{0,12}".prop_map(Value::from),
        prop::sample::select(vec![
            "message",
            "reasoning",
            "function_call",
            "incomplete",
            "failed",
            "web_search_call"
        ])
        .prop_map(Value::from),
    ];
    let key = prop::sample::select(vec![
        "type",
        "status",
        "output",
        "content",
        "summary",
        "text",
        "refusal",
        "id",
        "call_id",
        "name",
        "arguments",
        "encrypted_content",
        "phase",
        "error",
        "usage",
        "input_tokens",
        "output_tokens_details",
        "incomplete_details",
        "reason",
        "annotations",
        "logprobs",
        "code",
    ]);
    leaf.prop_recursive(6, 48, 6, move |inner| {
        prop_oneof![
            prop::collection::vec(inner.clone(), 0..4).prop_map(Value::from),
            prop::collection::hash_map(key.clone(), inner, 0..6)
                .prop_map(|map| map.into_iter().map(|(k, v)| (k.to_owned(), v)).collect()),
        ]
    })
}

const EVENTS: [&str; 10] = [
    "response.output_item.added",
    "response.output_item.done",
    "response.output_text.delta",
    "response.refusal.delta",
    "response.reasoning_summary_text.delta",
    "response.reasoning_text.delta",
    "response.function_call_arguments.delta",
    "response.function_call_arguments.done",
    "response.completed",
    "error",
];

proptest! {
    #[test]
    fn hostile_server_output_never_panics(
        bodies in prop::collection::vec((any_json(), 0..EVENTS.len(), any::<Option<u8>>()), 1..6),
    ) {
        let (wire, request) = (at("openai", "o3"), ModelRequest::default());
        let mut open = wire.open_stream(&request);
        for (body, kind, at) in &bodies {
            let text = body.to_string();
            drop(wire.decode_count(text.as_bytes()));
            wire.decode_error(429, &|_| None, text.as_bytes()).to_string();
            drop(open.read_event(&SseEvent::Bare(&text), &ChunkSink::collect_chunks().0));
            let event = json!({"type": EVENTS[*kind], "output_index": at, "item": body, "delta": body,
                "arguments": body, "response": {"output": [body]}}).to_string();
            drop(open.read_event(&SseEvent::Message { event: None, data: event.into() }, &ChunkSink::collect_chunks().0));
            for answer in [body.clone(), json!({"output": [body, {"type": "message", "content": body}]})] {
                let Ok(answer) = wire.decode_response(&request, answer.to_string().as_bytes()) else { continue };
                // Every decoded response can be encoded again.
                let again = ModelRequest::new([Message::user("hi"), answer.message.unwrap()]);
                drop(wire.encode_request(&again, false).unwrap());
            }
        }
        drop(open.into_response());
    }

    #[test]
    fn nothing_in_metadata_or_settings_panics(value in any_json()) {
        let metadata = json!({"id": value, "encryptedContent": value, "summary": value, "reasoningContent": value,
            "itemId": value, "phase": value, "signedBy": "openai"});
        let parts = json!([{"reasoning": "a", "metadata": metadata}, {"text": "b", "metadata": metadata},
            {"custom": {"openaiItem": value}}, {"custom": {"openaiItem": {"type": value}}}]);
        let config: serde_json::Map<String, Value> = ["store", "include", "tools", "reasoning", "text", "topLogProbs",
            "maxOutputTokens", "reasoningEffort", "stopSequences", "tool_choice", "version", "temperature"]
            .map(|key| (key.to_owned(), value.clone())).into_iter().collect();
        let request = read(json!({"messages": [{"role": "model", "content": parts}], "config": config}));
        let sent = at("openai", "o3").encode_request(&request, true).unwrap();
        prop_assert!(serde_json::from_slice::<Value>(&sent.body).is_ok());
    }
}
