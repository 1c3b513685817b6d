use proptest::prelude::*;
use serde_json::{Value, json};

use super::wire;
use genkit_core::ModelRequest;
use genkit_http_client::internal::sse::{SseEvent, SseParser};
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
        "message",
        "content",
        "thinking",
        "tool_calls",
        "function",
        "arguments",
        "name",
        "id",
        "index",
        "done",
        "done_reason",
        "error",
        "status",
        "prompt_eval_count",
        "eval_count",
        "model",
        "logprobs",
        "total_duration",
    ]);
    leaf.prop_recursive(6, 48, 6, move |inner| {
        prop_oneof![
            prop::collection::vec(inner.clone(), 0..4).prop_map(Value::from),
            prop::collection::hash_map(key.clone(), inner, 0..6)
                .prop_map(|map| map.into_iter().map(|(k, v)| (k.to_owned(), v)).collect()),
        ]
    })
}

/// Returns the text of a response whose body arrives in pieces of this size.
fn cut(body: &str, size: usize) -> String {
    let (wire, request) = (wire("m"), ModelRequest::default());
    let mut stream = wire.open_stream(&request);
    let mut parser = SseParser::ndjson();
    let (sink, _chunks) = ChunkSink::collect_chunks();
    for piece in body.as_bytes().chunks(size) {
        parser.push(piece);
        while let Some(event) = parser.next() {
            stream.read_event(&event.unwrap(), &sink).unwrap();
        }
    }
    stream.into_response().unwrap().message.unwrap().text()
}

proptest! {
    #[test]
    fn hostile_server_output_never_panics(bodies in prop::collection::vec(any_json(), 1..5)) {
        let (wire, request) = (wire("m"), ModelRequest::default());
        let mut open = wire.open_stream(&request);
        for body in &bodies {
            let text = body.to_string();
            drop(wire.decode_response(&request, text.as_bytes()));
            drop(wire.decode_response(&request, json!({"message": body, "done": true}).to_string().as_bytes()));
            wire.decode_error(400, &|_| None, text.as_bytes()).to_string();
            drop(open.read_event(&SseEvent::Bare(&text), &ChunkSink::collect_chunks().0));
        }
        drop(open.into_response());
    }

    #[test]
    fn lines_are_the_same_wherever_they_are_cut(size in 1..200_usize) {
        let body = "{\"message\":{\"content\":\"Zür\"}}\r\n\n{\"message\":{\"content\":\"ich\u{2028}\"}}\n\
                    {\"message\":{\"content\":\"\"},\"done\":true}";
        prop_assert_eq!(cut(body, size), "Zürich\u{2028}");
    }
}

#[test]
fn invalid_or_truncated_line_is_an_error() {
    let (wire, request) = (wire("m"), ModelRequest::default());
    for (line, kind) in [
        ("<html>", genkit_core::ErrorKind::Internal),
        ("[1]", genkit_core::ErrorKind::Internal),
        (r#"{"message": {"content": "x""#, genkit_core::ErrorKind::Unavailable),
        (r#"{"message": "x"}"#, genkit_core::ErrorKind::Internal),
    ] {
        let mut stream = wire.open_stream(&request);
        let error =
            stream.read_event(&SseEvent::Bare(line), &ChunkSink::collect_chunks().0).unwrap_err();
        assert_eq!(error.kind(), kind, "{line}: {error}");
    }
}
