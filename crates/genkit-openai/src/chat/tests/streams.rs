use serde_json::{Value, json};

use super::{at, read, stream};
use genkit_core::ErrorKind;
use genkit_core::{FinishReason, GenerateChunk, ModelRequest, ModelResponse};
use genkit_http_client::internal::sse::SseEvent;
use genkit_model::ChunkSink;
use genkit_model::internal::wire::{Next, WireFormat as _};

/// Returns the calls assembled from fragments.
fn calls(fragments: &[Value]) -> Vec<(String, Option<String>, Value)> {
    let deltas: Vec<Value> =
        fragments.iter().map(|call| json!({"delta": {"tool_calls": [call]}})).collect();
    let (response, _) = stream(&ModelRequest::default(), &deltas);
    let message = response.message.unwrap();
    message
        .tool_requests()
        .map(|call| (call.name.clone(), call.id.clone(), call.input.clone()))
        .collect()
}

fn call(name: &str, id: &str, input: Value) -> (String, Option<String>, Value) {
    (name.to_owned(), (!id.is_empty()).then(|| id.to_owned()), input)
}

#[test]
fn fragments_find_their_call_by_index() {
    let got = calls(&[
        json!({"index": 0, "id": "1", "function": {"name": "a", "arguments": ""}}),
        json!({"index": 1, "id": "2", "function": {"name": "b", "arguments": "{\"x\""}}),
        json!({"index": 0, "function": {"arguments": "{\"y\":"}}),
        json!({"index": 1, "function": {"arguments": ":1}"}}),
        json!({"index": 0, "function": {"arguments": "2}"}}),
    ]);
    assert_eq!(got, [call("a", "1", json!({"y": 2})), call("b", "2", json!({"x": 1}))]);
}

#[test]
fn fragments_without_an_index_continue_the_last_call() {
    let got = calls(&[
        json!({"id": "1", "function": {"name": "a", "arguments": "{\"x\""}}),
        json!({"function": {"arguments": ":1}"}}),
        json!({"id": "2", "function": {"name": "a", "arguments": "{}"}}),
        json!({"function": {"name": "b", "arguments": "{}"}}),
    ]);
    let wanted =
        [call("a", "1", json!({"x": 1})), call("a", "2", json!({})), call("b", "", json!({}))];
    assert_eq!(got, wanted);
}

#[test]
fn names_that_are_repeated_and_indexes_that_are_wrong_do_no_harm() {
    let got = calls(&[
        json!({"index": 0, "id": "1", "function": {"name": "a", "arguments": ""}}),
        json!({"index": 0, "id": "1", "function": {"name": "a", "arguments": "{}"}}),
        json!({"index": 0, "id": "1", "function": {"name": "a", "arguments": ""}}),
        json!({"index": 0, "id": "2", "function": {"name": "b", "arguments": "{\"x\":"}}),
        json!({"index": 0, "id": "3", "function": {"name": "b", "arguments": "1}"}}),
        json!({"index": 0, "function": {"name": "c", "arguments": "{}"}}),
    ]);
    let wanted =
        [call("a", "1", json!({})), call("b", "2", json!({"x": 1})), call("c", "", json!({}))];
    assert_eq!(got, wanted);
}

#[test]
fn chunks_tell_of_a_call_when_it_begins_and_when_it_is_whole() {
    let request = read(json!({"messages": [], "tools": [{"name": "a/b"}]}));
    let (_, chunks) = stream(
        &request,
        &[
            json!({"delta": {"content": "hm", "tool_calls": [
            {"index": 0, "id": "1", "function": {"name": "a__b", "arguments": "{\"x\":"}}]}}),
            json!({"delta": {"tool_calls": [{"index": 0, "function": {"arguments": "1}"}}]}}),
            json!({"delta": {}, "finish_reason": "tool_calls"}),
        ],
    );
    let chunks: Vec<Value> =
        chunks.iter().map(|it| serde_json::to_value(&it.content).unwrap()).collect();
    assert_eq!(
        json!(chunks),
        json!([
            [{"text": "hm"}, {"toolRequest": {"name": "a/b", "ref": "1", "partial": true}}],
            [{"toolRequest": {"name": "a/b", "ref": "1", "input": {"x": 1}}}],
        ])
    );
}

#[test]
fn details_of_thoughts_are_joined() {
    let text = |text: &str| {
        json!({"delta": {"reasoning": text, "reasoning_details": [
        {"type": "reasoning.text", "index": 0, "text": text, "signature": null}]}})
    };
    let (response, chunks) = stream(
        &ModelRequest::default(),
        &[
            text("a"),
            text("b"),
            json!({"delta": {"reasoning_details": [
            {"type": "reasoning.text", "index": 0, "text": "", "signature": "s"},
            {"type": "reasoning.encrypted", "data": "x"}, {"type": "reasoning.encrypted", "data": "y"}]}}),
        ],
    );
    let reasoning = response.message.unwrap().content.remove(0);
    assert_eq!(
        reasoning.metadata()["reasoningDetails"],
        json!([
            {"type": "reasoning.text", "index": 0, "text": "ab", "signature": "s"},
            {"type": "reasoning.encrypted", "data": "x"}, {"type": "reasoning.encrypted", "data": "y"},
        ])
    );
    assert_eq!(chunks.iter().map(GenerateChunk::reasoning).collect::<String>(), "ab");
}

#[test]
fn counts_and_probabilities_add_up() {
    let token = |token: &str| json!({"delta": {"content": token}, "logprobs": {"content": [{"token": token}]}});
    let (response, _) =
        stream(&ModelRequest::default(), &[token("a"), token("b"), json!({"logprobs": null})]);
    assert_eq!(response.custom["logprobs"], json!({"content": [{"token": "a"}, {"token": "b"}]}));
    let counted =
        r#"{"choices": [{"delta": {}}], "usage": {"prompt_tokens": 5, "completion_tokens": 1}}"#;
    let again = r#"{"choices": [], "usage": {"completion_tokens": 2, "total_tokens": 7}}"#;
    let usage = events(&[(None, counted), (None, again)]).unwrap().1.usage;
    assert_eq!(
        (usage.input_tokens, usage.output_tokens, usage.total_tokens),
        (Some(5), Some(2), Some(7))
    );
}

#[test]
fn stream_without_a_choice_is_an_error() {
    for data in [r#"{"object": "error", "message": "no"}"#, r#"{"choices": []}"#] {
        let error = events(&[(None, data)]).unwrap_err();
        assert_eq!(error.kind(), ErrorKind::Unavailable);
    }
}

#[test]
fn call_that_was_cut_before_its_arguments_is_not_whole() {
    let begun = json!({"delta": {"tool_calls": [
        {"index": 0, "id": "1", "function": {"name": "wipe", "arguments": ""}}
    ]}});
    let end = |reason: &str| json!({"delta": {}, "finish_reason": reason});
    for (last, whole) in [(end("length"), false), (end("tool_calls"), true), (end(""), false)] {
        let (response, _) = stream(&ModelRequest::default(), &[begun.clone(), last.clone()]);
        let message = response.message.unwrap();
        assert_eq!(message.tool_requests().count(), usize::from(whole), "{last}");
    }
}

#[test]
fn empty_reason_ends_nothing() {
    let piece = |text: &str| {
        json!({"finish_reason": "", "delta": {"tool_calls": [
            {"index": 0, "id": "1", "function": {"name": "add", "arguments": text}}
        ]}})
    };
    let pieces =
        [piece("{\"a\":"), piece(" 1}"), json!({"delta": {}, "finish_reason": "tool_calls"})];
    let (response, _) = stream(&ModelRequest::default(), &pieces);
    let message = response.message.unwrap();
    assert_eq!(message.tool_requests().next().unwrap().input, json!({"a": 1}));
}

#[test]
fn refusal_is_not_text() {
    let (response, chunks) = stream(
        &ModelRequest::default(),
        &[
            json!({"delta": {"refusal": "I can"}}),
            json!({"delta": {"refusal": "not."}, "finish_reason": "stop"}),
        ],
    );
    assert_eq!(response.finish_reason, Some(FinishReason::Blocked));
    assert_eq!(response.finish_message.as_deref(), Some("I cannot."));
    assert!(chunks.is_empty());
}

fn events(events: &[(Option<&str>, &str)]) -> genkit_core::Result<(Next, ModelResponse)> {
    let (wire, request) = (at("groq", "m"), ModelRequest::default());
    let mut stream = wire.open_stream(&request);
    let mut last = Next::More;
    for (event, data) in events {
        last = stream.read_event(
            &SseEvent::Message { event: *event, data: (*data).into() },
            &ChunkSink::collect_chunks().0,
        )?;
    }
    Ok((last, stream.into_response()?))
}

#[test]
fn stream_ends_with_its_mark_or_without() {
    let said = r#"{"choices": [{"delta": {"content": "a"}, "finish_reason": "stop"}]}"#;
    assert_eq!(events(&[(None, said), (None, "[DONE]")]).unwrap().0, Next::Done);
    let usage = r#"{"choices": [], "usage": {"prompt_tokens": 5}}"#;
    let (next, response) = events(&[(None, ""), (None, said), (None, usage)]).unwrap();
    assert_eq!((next, response.usage.input_tokens), (Next::More, Some(5)));
    assert_eq!(response.finish_reason, Some(FinishReason::Stop));
    let cut = r#"{"choices": [{"delta": {"content": "a"}}]}"#;
    assert_eq!(events(&[(None, cut)]).unwrap().1.finish_reason, Some(FinishReason::Unknown));
    assert_eq!(events(&[]).unwrap_err().kind(), ErrorKind::Unavailable);
}

#[test]
fn errors_within_a_stream_end_it() {
    for (event, data) in [
        (Some("error"), r#"{"error": {"message": "no", "status_code": 400}}"#),
        (Some("error"), r#"{"message": "no", "code": 400}"#),
        (None, r#"{"error": {"message": "no", "code": "400"}, "choices": [{"delta": {}}]}"#),
        (None, r#"[{"error": {"message": "no", "code": 400}}]"#),
    ] {
        let error = events(&[(event, data)]).unwrap_err();
        assert_eq!(error.kind(), ErrorKind::InvalidArgument, "{data}");
        assert!(error.to_string().ends_with(": no"), "{error}");
    }
    assert_eq!(events(&[(Some("error"), "gone")]).unwrap_err().to_string(), "groq: gone");
    assert_eq!(events(&[(None, "{\"choices\"")]).unwrap_err().kind(), ErrorKind::Unavailable);
}

#[test]
fn whole_message_in_a_stream_is_read_once() {
    let said = r#"{"choices": [{"delta": {"content": "a"}}]}"#;
    let whole = r#"{"choices": [{"message": {"content": "a"}, "finish_reason": "stop"}]}"#;
    assert_eq!(events(&[(None, said), (None, whole)]).unwrap().1.message.unwrap().text(), "a");
    assert_eq!(events(&[(None, whole)]).unwrap().1.message.unwrap().text(), "a");
}

#[test]
fn repeated_calls_run_once_streamed_or_whole() {
    let entry = |index: u64, id: &str, city: &str| {
        json!({"index": index, "id": id,
            "function": {"name": "weather", "arguments": json!({"city": city}).to_string()}})
    };
    for (entries, count) in [
        ([entry(0, "x", "Rome"), entry(1, "x", "Rome")], 1),
        ([entry(0, "", "Rome"), entry(1, "", "Rome")], 1),
        ([entry(0, "x", "Rome"), entry(1, "x", "Oslo")], 2),
        ([entry(0, "x", "Rome"), entry(1, "y", "Rome")], 2),
    ] {
        assert_eq!(calls(&entries).len(), count, "{entries:?}");
        let body = json!({"choices": [{"message": {"tool_calls": entries}}]});
        let whole = super::decode(&ModelRequest::default(), &body).unwrap().message.unwrap();
        assert_eq!(whole.tool_requests().count(), count, "{entries:?}");
    }
}
