use serde_json::{Value, json};

use super::stream;
use genkit_core::ErrorKind;
use genkit_core::FinishReason;
use genkit_core::Part;

fn delta(at: Option<u64>, text: &str) -> Value {
    json!({"type": "response.output_text.delta", "output_index": at, "delta": text})
}

fn completed(output: Value) -> Value {
    json!({"type": "response.completed", "response": {"status": "completed", "output": output}})
}

#[test]
fn pieces_without_a_place_belong_to_the_last_item() {
    let message =
        |text: &str| json!({"type": "message", "content": [{"type": "output_text", "text": text}]});
    let (response, chunks) = stream(&[
        json!({"type": "response.output_item.added", "item": {"type": "message"}}),
        delta(None, "a"),
        json!({"type": "response.output_item.done", "item": message("ab")}),
        json!({"type": "response.output_item.added", "item": {"type": "message"}}),
        delta(None, "c"),
        json!({"type": "response.output_item.done", "item": message("c")}),
        json!({"type": "response.output_item.done", "item": message("d")}),
        completed(json!([])),
    ])
    .unwrap();
    assert_eq!(response.message.unwrap().text(), "abcd");
    assert_eq!(chunks.iter().map(|chunk| chunk.text()).collect::<String>(), "abcd");
}

#[test]
fn places_may_be_anywhere() {
    let (response, _) =
        stream(&[delta(Some(u64::MAX), "b"), delta(Some(7), "a"), delta(None, "!")]).unwrap();
    assert_eq!(response.message.unwrap().text(), "ab!");
    let (response, _) = stream(&[
        delta(Some(u64::MAX), "b"),
        json!({"type": "response.output_item.added", "item": {"type": "message"}}),
        delta(None, "!"),
    ])
    .unwrap();
    assert_eq!(response.message.unwrap().text(), "b!");
}

#[test]
fn endless_items_end() {
    let events = |count: u64| (0..count).map(|at| delta(Some(at), "x")).collect::<Vec<_>>();
    assert!(stream(&events(4_096)).is_ok());
    let error = stream(&events(4_097)).unwrap_err();
    assert_eq!(error.kind(), ErrorKind::ResourceExhausted);
    assert!(error.to_string().contains("more than 4096 items"), "{error}");
}

#[test]
fn call_is_reported_when_it_starts_and_when_it_is_complete() {
    let call =
        json!({"type": "function_call", "call_id": "c", "name": "a", "arguments": "{\"x\":1}"});
    let (_, chunks) = stream(&[
        json!({"type": "response.output_item.added", "output_index": 0,
            "item": {"type": "function_call", "call_id": "c", "name": "a", "arguments": ""}}),
        json!({"type": "response.function_call_arguments.delta", "output_index": 0, "delta": "{\"x\":"}),
        json!({"type": "response.function_call_arguments.done", "output_index": 0, "arguments": "{\"x\":1}"}),
        json!({"type": "response.output_item.done", "output_index": 0, "item": call}),
        completed(json!([call])),
    ])
    .unwrap();
    let begun = chunks.iter().filter(|chunk| chunk.partial_tool_requests().count() == 1);
    let complete = chunks.iter().filter(|chunk| chunk.tool_requests().count() == 1);
    assert_eq!((begun.count(), complete.count()), (1, 1));
}

#[test]
fn call_that_was_cut_is_not_run() {
    let begun = json!({"type": "response.output_item.added", "output_index": 0,
        "item": {"type": "function_call", "call_id": "c", "name": "wipe", "arguments": ""}});
    let (response, _) = stream(std::slice::from_ref(&begun)).unwrap();
    assert_eq!(response.finish_reason, Some(FinishReason::Unknown));
    assert_eq!(response.message.unwrap().tool_requests().count(), 0);
    let piece = json!({"type": "response.function_call_arguments.delta", "output_index": 0, "delta": "{\"all\": tr"});
    let (response, _) = stream(&[begun, piece]).unwrap();
    let message = response.message.unwrap();
    assert_eq!(message.tool_requests().next().unwrap().input, "{\"all\": tr");
}

#[test]
fn errors_come_flat_or_nested_and_end_the_stream() {
    for event in [
        json!({"type": "error", "code": "rate_limit_exceeded", "message": "slow"}),
        json!({"type": "error", "error": {"code": "rate_limit_exceeded", "message": "slow"}}),
        json!({"error": {"type": "rate_limit_exceeded", "message": "slow"}}),
        json!([{"error": {"code": 429, "message": "slow"}}]),
        json!({"type": "response.failed", "response": {"error": {"code": "rate_limit_exceeded", "message": "slow"}}}),
    ] {
        let error = stream(&[delta(Some(0), "a"), event.clone()]).unwrap_err();
        assert_eq!(error.kind(), ErrorKind::ResourceExhausted, "{event}");
        assert!(error.to_string().ends_with(": slow"), "{error}");
    }
    let failed = json!({"type": "response.failed", "response": {"status": "failed"}});
    assert!(stream(&[failed]).unwrap_err().to_string().contains("without a reason"));
    assert_eq!(stream(&[]).unwrap_err().kind(), ErrorKind::Unavailable);
}

#[test]
fn whole_response_in_a_stream_is_read() {
    let text = json!([{"type": "message", "content": [{"type": "output_text", "text": "a"}]}]);
    let whole = json!({"status": "completed", "output": text, "usage": {"input_tokens": 3.0}});
    let (response, chunks) = stream(&[whole]).unwrap();
    assert_eq!((response.usage.input_tokens, chunks.len()), (Some(3), 1));
    let Part::Text { text, .. } = &chunks[0].content[0] else { panic!() };
    assert_eq!(text, "a");
}
