use std::sync::Arc;
use std::sync::atomic::AtomicBool;

use serde_json::json;

use super::*;
use crate::response::decode_count;
use genkit_core::ErrorKind;
use genkit_core::ToolDefinition;

fn read(events: &[Value]) -> Result<(ModelResponse, Vec<GenerateChunk>)> {
    read_with(&ModelRequest::default(), events)
}

fn read_with(
    request: &ModelRequest,
    events: &[Value],
) -> Result<(ModelResponse, Vec<GenerateChunk>)> {
    let mut stream = GeminiStream::new(request);
    let (sink, chunks) = ChunkSink::collect_chunks();
    for event in events {
        let data = event.to_string();
        stream.read_event(&SseEvent::Message { event: None, data: data.into() }, &sink)?;
    }
    Ok((Box::new(stream).into_response()?, chunks()))
}

#[test]
fn unread_chunks_are_counted_and_the_response_is_unchanged() {
    let call = json!([{"functionCall": {"name": "t", "args": {"a": [1, -2.5, null]}, "id": "7"}, "thoughtSignature": "s"}]);
    let events = [
        said(json!([{"text": "a", "thought": true}])),
        said(json!([{"text": "b", "thought": true}, {"text": "c"}])),
        said(json!([{"text": "d"}])),
        said(json!([{"text": "e", "thoughtSignature": "s"}])),
        said(json!([{"text": ""}])),
        said(call),
        json!({"candidates": [{"finishReason": "STOP"}], "usageMetadata": {"promptTokenCount": 3}}),
    ];
    let (read, chunks) = read(&events).unwrap();
    assert_eq!(read.message.as_ref().unwrap().content.len(), 4);
    let sink = ChunkSink::until(Some(Arc::new(AtomicBool::new(true))), |_| {
        panic!("the chunks are not read")
    });
    let request = ModelRequest::default();
    let mut stream = GeminiStream::new(&request);
    for event in &events {
        let data = event.to_string();
        stream.read_event(&SseEvent::Message { event: None, data: data.into() }, &sink).unwrap();
    }
    assert_eq!(Box::new(stream).into_response().unwrap(), read);
    assert_eq!(
        (sink.count(), chunks.len()),
        (5, 5),
        "a call that fails after one is not made again"
    );
}

fn said(parts: Value) -> Value {
    json!({"candidates": [{"content": {"parts": parts}}]})
}

fn content(response: &ModelResponse) -> Value {
    json!(response.message.as_ref().unwrap().content)
}

#[test]
fn unsigned_neighbours_of_one_kind_are_one_part() {
    let (response, chunks) = read(&[
        said(json!([{"text": "a", "thought": true}, {"text": "b", "thought": true}])),
        said(json!([{"text": "c"}, {"text": ""}])),
        said(json!([{"text": "d"}, {"text": "e", "thoughtSignature": "s1"}])),
        said(json!([{"text": "f"}])),
        said(json!([{"text": "", "thoughtSignature": "s2"}])),
    ])
    .unwrap();
    assert_eq!(
        content(&response),
        json!([
            {"reasoning": "ab"},
            {"text": "cd"},
            {"text": "e", "metadata": {"thoughtSignature": "s1", "signedBy": "gemini"}},
            {"text": "f"},
            {"text": "", "metadata": {"thoughtSignature": "s2", "signedBy": "gemini"}},
        ])
    );
    let text: String = chunks.iter().map(GenerateChunk::text).collect();
    assert_eq!(text, "cdef");
    assert_eq!(chunks.iter().map(GenerateChunk::reasoning).collect::<String>(), "ab");
    assert_eq!(response.finish_reason, Some(FinishReason::Unknown));
}

#[test]
fn part_of_several_fields_is_several_parts() {
    let part = json!({
        "text": "x", "functionCall": {"name": "t"}, "newKind": {"a": 1}, "toolCall": {"id": "7"},
        "thoughtSignature": "s",
    });
    let (response, _) = read(&[said(json!([part, {}, {"thoughtSignature": "alone"}]))]).unwrap();
    assert_eq!(
        content(&response),
        json!([
            {"text": "x", "metadata": {"thoughtSignature": "s", "signedBy": "gemini"}},
            {"toolRequest": {"name": "t", "input": {}}},
            {"custom": {"geminiToolCall": {"id": "7"}}},
            {"custom": {"geminiPart": {"newKind": {"a": 1}}}},
            {"text": "", "metadata": {"thoughtSignature": "alone", "signedBy": "gemini"}},
        ])
    );
}

#[test]
fn names_come_back_as_ours() {
    let mut request = ModelRequest::default();
    request.tools.push(ToolDefinition::new("fs/read", ""));
    let call = said(json!([{"functionCall": {"name": "fs__read", "id": "1"}}]));
    let (response, _) = read_with(&request, &[call]).unwrap();
    let message = response.message.unwrap();
    let call = message.tool_requests().next().unwrap();
    assert_eq!((call.name.as_str(), call.id.as_deref()), ("fs/read", Some("1")));
}

#[test]
fn event_fields_are_merged() {
    let (response, _) = read(&[
        json!({"candidates": [{"finishReason": "STOP", "groundingMetadata": {"a": 1}}],
               "usageMetadata": {"promptTokenCount": 3}, "responseId": "r"}),
        json!({"candidates": [{"finishMessage": "done"}], "usageMetadata": {"promptTokenCount": 4,
               "toolUsePromptTokenCount": 2}, "modelVersion": "m"}),
        json!({"usageMetadata": {"trafficType": "ON_DEMAND"}}),
    ])
    .unwrap();
    assert_eq!(response.finish_reason, Some(FinishReason::Stop));
    assert_eq!(response.finish_message.as_deref(), Some("done"));
    assert_eq!(response.usage.input_tokens, Some(4));
    assert_eq!(response.usage.custom["toolUsePromptTokens"], 2);
    assert_eq!(
        Value::Object(response.custom),
        json!({
            "responseId": "r", "modelVersion": "m", "groundingMetadata": {"a": 1},
            "usageMetadata": {"promptTokenCount": 4, "toolUsePromptTokenCount": 2},
            "finishReason": "STOP",
        })
    );
}

#[test]
fn other_candidates_are_kept_apart() {
    let (response, chunks) = read(&[json!({"candidates": [
        {"index": 1, "content": {"parts": [{"text": "second"}]}, "finishReason": "MAX_TOKENS"},
        {"index": 0, "content": {"parts": [{"text": "first"}]}, "finishReason": "STOP"},
    ]})])
    .unwrap();
    assert_eq!(content(&response), json!([{"text": "first"}]));
    assert_eq!(response.custom["candidates"][0]["message"]["content"][0]["text"], "second");
    assert_eq!(response.custom["candidates"][0]["finishReason"], "length");
    assert_eq!(chunks.len(), 1);
}

#[test]
fn call_that_was_not_finished_is_never_run() {
    let piece =
        json!([{"functionCall": {"name": "t", "willContinue": true}, "thoughtSignature": "s"}]);
    let (response, chunks) = read(&[said(piece)]).unwrap();
    assert_eq!(response.message.as_ref().unwrap().tool_requests().count(), 0);
    assert_eq!(content(&response)[0]["toolRequest"]["partial"], true);
    assert!(chunks.is_empty());
}

#[test]
fn lists_and_errors_are_read_too() {
    let request = ModelRequest::default();
    let mut stream = GeminiStream::new(&request);
    let (sink, chunks) = ChunkSink::collect_chunks();
    let list = json!([said(json!([{"text": "a"}])), said(json!([{"text": "b"}]))]).to_string();
    stream.read_event(&SseEvent::Bare(&list), &sink).unwrap();
    assert_eq!(chunks().len(), 2);
    let error = json!({"error": {"code": 503, "message": "gone"}}).to_string();
    let error = stream.read_event(&SseEvent::Bare(&error), &sink).unwrap_err();
    assert_eq!(error.kind(), ErrorKind::Unavailable);
    assert_eq!(error.to_string(), "gemini: HTTP 503: gone");
    let error = stream.read_event(&SseEvent::Bare("{\"candidates\": ["), &sink).unwrap_err();
    assert_eq!(error.kind(), ErrorKind::Unavailable, "{error}");
    let error = stream.read_event(&SseEvent::Bare("{nonsense}"), &sink).unwrap_err();
    assert_eq!(error.kind(), ErrorKind::Internal, "{error}");
}

#[test]
fn number_of_a_count_is_its_total() {
    let body =
        br#"{"totalTokens": 31, "promptTokensDetails": [{"modality": "TEXT", "tokenCount": 31}]}"#;
    assert_eq!(decode_count(body).unwrap(), 31);
    assert!(decode_count(br#"{"totalTokens": "#).unwrap_err().is_retryable());
    assert!(decode_count(b"{}").is_err());
}
