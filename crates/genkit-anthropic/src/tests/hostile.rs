use proptest::prelude::*;
use serde_json::{Value, json};

use super::{begin, end, piece, start, stream, wire};
use genkit_core::ErrorKind;
use genkit_core::{FinishReason, ModelRequest};
use genkit_http_client::internal::sse::SseEvent;
use genkit_model::ChunkSink;
use genkit_model::internal::wire::WireFormat as _;

/// Generates JSON with the keys that the decoder reads, and arbitrary values.
fn any_json() -> impl Strategy<Value = Value> {
    let kinds = prop::sample::select(vec![
        "message_start",
        "content_block_start",
        "content_block_delta",
        "content_block_stop",
        "message_delta",
        "text",
        "thinking",
        "tool_use",
        "redacted_thinking",
        "text_delta",
        "input_json_delta",
        "thinking_delta",
        "signature_delta",
        "citations_delta",
        "error",
        "x",
    ]);
    let leaf = prop_oneof![
        Just(Value::Null),
        any::<bool>().prop_map(Value::from),
        any::<f64>().prop_map(Value::from),
        any::<u64>().prop_map(Value::from),
        (0..3_u64).prop_map(Value::from),
        kinds.prop_map(Value::from),
        "[a-z\\[\\]{}\":, ü0-9]{0,12}".prop_map(Value::from),
    ];
    let key = prop::sample::select(vec![
        "type",
        "index",
        "message",
        "content_block",
        "delta",
        "usage",
        "error",
        "content",
        "text",
        "thinking",
        "signature",
        "data",
        "name",
        "id",
        "input",
        "partial_json",
        "citations",
        "citation",
        "caller",
        "stop_reason",
        "stop_details",
        "explanation",
        "input_tokens",
        "cache_read_input_tokens",
        "output_tokens",
        "output_tokens_details",
        "server_tool_use",
        "container",
        "context_management",
    ]);
    leaf.prop_recursive(5, 40, 6, move |inner| {
        prop_oneof![
            prop::collection::vec(inner.clone(), 0..4).prop_map(Value::from),
            prop::collection::hash_map(key.clone(), inner, 0..6)
                .prop_map(|map| map.into_iter().map(|(k, v)| (k.to_owned(), v)).collect()),
        ]
    })
}

proptest! {
    #[test]
    fn hostile_server_output_never_panics(bodies in prop::collection::vec(any_json(), 1..8)) {
        let (wire, request) = (wire("claude-sonnet-4-6"), ModelRequest::default());
        let mut open = wire.open_stream(&request);
        for body in &bodies {
            let text = body.to_string();
            drop(wire.decode_response(&request, text.as_bytes()));
            drop(wire.decode_response(&request, json!({"content": [body], "usage": body}).to_string().as_bytes()));
            drop(wire.decode_count(text.as_bytes()));
            wire.decode_error(429, &|_| None, text.as_bytes()).to_string();
            drop(open.read_event(&SseEvent::Bare(&text), &ChunkSink::collect_chunks().0));
            for event in [begin(0, body.clone()), piece(0, body.clone()), start(), body.clone()] {
                let event = SseEvent::Message { event: Some("x"), data: event.to_string().into() };
                drop(open.read_event(&event, &ChunkSink::collect_chunks().0));
            }
        }
        drop(open.into_response());
    }

    #[test]
    fn arguments_are_the_same_however_they_are_cut(cuts in prop::collection::vec(0..30_usize, 0..6)) {
        let text = r#"{"city":"Zürich","n":[1,2.5]}"#;
        let mut at: Vec<usize> = cuts.into_iter().filter(|at| text.is_char_boundary(*at)).collect();
        at.extend([0, text.len()]);
        at.sort_unstable();
        let mut events = vec![start(), begin(0, json!({"type": "tool_use", "id": "1", "name": "f", "input": {}}))];
        events.extend(at.windows(2).map(|cut| {
            piece(0, json!({"type": "input_json_delta", "partial_json": &text[cut[0]..cut[1]]}))
        }));
        events.push(end(0));
        let message = stream(&events).0.unwrap().message.unwrap();
        let input = &message.tool_requests().next().unwrap().input;
        prop_assert_eq!(input, &serde_json::from_str::<Value>(text).unwrap());
    }
}

#[test]
fn malformed_events_are_errors_and_unknown_events_are_ignored() {
    let (wire, request) = (wire("claude-sonnet-4-6"), ModelRequest::default());
    for broken in [
        "{",
        "[]",
        "7",
        "x",
        r#"{"type": 7}"#,
        r#"{"type": "content_block_start", "index": "0"}"#,
        r#"{"type": "content_block_start", "index": -1}"#,
        r#"{"type": "content_block_start", "index": 0, "content_block": []}"#,
        r#"{"type": "message_start", "message": "x"}"#,
        r#"{"type": "message_delta", "delta": 7}"#,
    ] {
        let event = SseEvent::Message { event: None, data: broken.into() };
        let read = wire.open_stream(&request).read_event(&event, &ChunkSink::collect_chunks().0);
        let kind = read.err().map(|error| error.kind());
        assert!(
            matches!(kind, Some(ErrorKind::Internal | ErrorKind::Unavailable)),
            "{broken}: {kind:?}"
        );
    }
    let odd = [
        start(),
        json!({"type": "content_block_start"}),
        json!({"type": "content_block_stop", "index": 4}),
        piece(9, json!({"type": "signature_delta", "signature": "of no block"})),
        begin(u64::MAX, json!({"type": "text", "text": "far"})),
        json!({"type": "new_event", "index": 1}),
        json!({"type": "error", "error": null}),
        json!({}),
    ];
    let (response, _) = stream(&odd);
    assert_eq!(response.unwrap().message.unwrap().text(), "far");
}

#[test]
fn stream_that_just_ends_has_no_known_reason() {
    let (response, _) = stream(&[start(), begin(0, json!({"type": "text", "text": "half"}))]);
    let response = response.unwrap();
    assert_eq!(response.finish_reason, Some(FinishReason::Unknown));
    assert_eq!(response.message.unwrap().text(), "half");
    for events in
        [vec![], vec![json!({"type": "ping"})], vec![json!({"type": "message_delta", "delta": {}})]]
    {
        assert_eq!(stream(&events).0.unwrap_err().kind(), ErrorKind::Unavailable);
    }
}

#[test]
fn text_without_a_start_is_kept() {
    let (response, chunks) = stream(&[
        start(),
        piece(0, json!({"type": "thinking_delta", "thinking": "hm"})),
        end(0),
        piece(1, json!({"type": "text_delta", "text": "hel"})),
        piece(1, json!({"type": "text_delta", "text": "lo"})),
        piece(2, json!({"type": "input_json_delta", "partial_json": "{}"})),
        json!({"type": "message_stop"}),
    ]);
    let message = response.unwrap().message.unwrap();
    assert_eq!((message.text().as_str(), message.content.len()), ("hello", 2));
    assert_eq!(chunks.len(), 3);
}

#[test]
fn second_beginning_restarts_the_message() {
    let (response, _) = stream(&[
        start(),
        begin(0, json!({"type": "text", "text": "lost"})),
        json!({"type": "message_start", "message": {"id": "m2", "usage": {"input_tokens": 8}}}),
        begin(0, json!({"type": "text", "text": "kept"})),
        end(0),
    ]);
    let response = response.unwrap();
    assert_eq!(response.message.unwrap().text(), "kept");
    assert_eq!((response.usage.input_tokens, &response.custom["id"]), (Some(8), &json!("m2")));
}

#[test]
fn hundred_thousand_blocks_take_one_pass() {
    let events: Vec<Value> = std::iter::once(start())
        .chain((0..100_000).map(|index| begin(index, json!({"type": "text", "text": "x"}))))
        .collect();
    assert_eq!(stream(&events).0.unwrap().message.unwrap().text().len(), 100_000);
    // A second start with the same index completes the open block.
    let again = [
        start(),
        begin(0, json!({"type": "text", "text": "a"})),
        begin(0, json!({"type": "text", "text": "b"})),
    ];
    assert_eq!(stream(&again).0.unwrap().message.unwrap().text(), "ab");
}
