use serde_json::{Value, json};

use super::wire;
use genkit_core::Part;
use genkit_core::Result;
use genkit_core::{FinishReason, GenerateChunk, ModelRequest, ModelResponse, ToolDefinition};
use genkit_http_client::internal::sse::SseEvent;
use genkit_model::ChunkSink;
use genkit_model::internal::wire::{Next, WireFormat as _};

/// Decodes a stream of these lines. Returns the response or the error, and the chunks before it.
fn streamed(
    request: &ModelRequest,
    lines: &[Value],
) -> (Result<ModelResponse>, Vec<GenerateChunk>) {
    let wire = wire("m");
    let mut stream = wire.open_stream(request);
    let (sink, chunks) = ChunkSink::collect_chunks();
    for (at, line) in lines.iter().enumerate() {
        match stream.read_event(&SseEvent::Bare(&line.to_string()), &sink) {
            Ok(Next::More) => {}
            Ok(Next::Done) => {
                assert_eq!(at, lines.len() - 1, "data after the line with `done: true`")
            }
            Err(error) => return (Err(error), chunks()),
        }
    }
    (stream.into_response(), chunks())
}

fn decode(body: &Value) -> Result<ModelResponse> {
    wire("m").decode_response(&ModelRequest::default(), body.to_string().as_bytes())
}

#[test]
fn stream_becomes_one_message() {
    let request = ModelRequest::default().with_tools([ToolDefinition::new("fs/read", "")]);
    let says = |message: Value| json!({"message": message, "done": false});
    let (response, chunks) = streamed(
        &request,
        &[
            says(json!({"role": "assistant", "content": "", "thinking": "hm"})),
            says(json!({"content": "", "thinking": "!"})),
            says(json!({"content": "See"})),
            says(json!({"content": ":"})),
            says(json!({"content": "", "tool_calls": [
                {"id": "call_7", "function": {"index": 0, "name": "fs__read", "arguments": {"path": "x"}}},
                {"function": {"name": "now", "arguments": null}}]})),
            json!({"model": "m:1", "message": {"content": ""}, "done": true, "done_reason": "stop",
                "prompt_eval_count": 5, "eval_count": 3, "total_duration": 9, "eval_duration": 4}),
        ],
    );
    let response = response.unwrap();
    let content = &response.message.as_ref().unwrap().content;
    assert_eq!(content[..2], [Part::reasoning("hm!"), Part::text("See:")]);
    let calls: Vec<_> = content[2..].iter().filter_map(Part::as_tool_request).collect();
    assert_eq!((calls[0].name.as_str(), calls[0].id.as_deref()), ("fs/read", Some("call_7")));
    assert_eq!((&calls[1].input, calls[1].id.as_deref()), (&json!({}), None));
    assert_eq!(response.finish_reason, Some(FinishReason::Stop));
    assert_eq!((response.usage.input_tokens, response.usage.total_tokens), (Some(5), Some(8)));
    assert_eq!(
        (&response.custom["model"], &response.custom["evalDuration"]),
        (&json!("m:1"), &json!(4))
    );
    assert_eq!(chunks.iter().map(GenerateChunk::text).collect::<String>(), "See:");
    assert_eq!(chunks.iter().map(GenerateChunk::reasoning).collect::<String>(), "hm!");
    assert_eq!(chunks.iter().flat_map(GenerateChunk::tool_requests).count(), 2);
}

#[test]
fn reasons_and_counts_may_be_missing() {
    let reason = |body: Value| decode(&body).unwrap().finish_reason.unwrap();
    let said = json!({"content": "x"});
    assert_eq!(reason(json!({"message": said, "done": true})), FinishReason::Stop);
    assert_eq!(
        reason(json!({"message": said, "done": true, "done_reason": "length"})),
        FinishReason::Length
    );
    assert_eq!(reason(json!({"message": said})), FinishReason::Unknown);
    let loaded =
        decode(&json!({"message": {"content": ""}, "done": true, "done_reason": "load"})).unwrap();
    assert_eq!(
        (loaded.finish_reason, loaded.finish_message.as_deref()),
        (Some(FinishReason::Other), Some("load"))
    );
    let cached = decode(&json!({"message": said, "done": true, "eval_count": 3})).unwrap().usage;
    assert_eq!(
        (cached.input_tokens, cached.output_tokens, cached.total_tokens),
        (None, Some(3), None)
    );
}

#[test]
fn stream_that_breaks_off_has_no_reason() {
    let (response, _) =
        streamed(&ModelRequest::default(), &[json!({"message": {"content": "hal"}})]);
    let response = response.unwrap();
    assert_eq!(response.finish_reason, Some(FinishReason::Unknown));
    let (nothing, _) = streamed(&ModelRequest::default(), &[]);
    assert!(nothing.unwrap_err().to_string().contains("has no message"));
}

#[test]
fn error_in_a_stream_ends_it_after_what_came_before() {
    let said = json!({"message": {"content": "so far"}});
    let (result, chunks) = streamed(
        &ModelRequest::default(),
        &[said.clone(), json!({"error": "llama runner terminated"})],
    );
    let error = result.unwrap_err();
    assert!(error.to_string().contains("llama runner terminated"), "{error}");
    assert_eq!(error.kind(), genkit_core::ErrorKind::Internal);
    assert_eq!(chunks[0].text(), "so far");
    let told = json!({"error": "busy", "status": 503});
    let (result, _) = streamed(&ModelRequest::default(), &[said, told]);
    assert_eq!(result.unwrap_err().kind(), genkit_core::ErrorKind::Unavailable);
}

#[test]
fn arguments_may_be_text() {
    let input = |arguments: Value| {
        let call = json!([{"function": {"name": "t", "arguments": arguments}}]);
        let response = decode(&json!({"message": {"tool_calls": call}, "done": true})).unwrap();
        response.message.unwrap().tool_requests().next().unwrap().input.clone()
    };
    assert_eq!(input(json!(r#"{"a": 1}"#)), json!({"a": 1}));
    assert_eq!(input(json!("")), json!({}));
    assert_eq!(input(json!(r#"{"a": "#)), json!(r#"{"a": "#));
}
