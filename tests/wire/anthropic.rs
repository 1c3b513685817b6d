//! Features of Anthropic only: a response that pauses, and an error in the middle of one.

use genkit::model::{ChunkSink, FinishReason, ModelRequest, ModelResponse};
use genkit::{ErrorKind, Message, Result};
use serde_json::{Value, json};

use crate::cases;
use crate::faults::server::{http, listening};
use crate::mock::{Mock, dialect};

/// Sends requests to a server that returns these responses in turn and then repeats the last one. Also returns the
/// requests.
async fn asks(answers: Vec<String>, sink: &ChunkSink) -> (Result<ModelResponse>, Vec<Value>) {
    let mock = Mock::answers(dialect("anthropic"), move |number, _| {
        answers[number.min(answers.len() - 1)].clone()
    });
    let model = cases::model("anthropic", "", &mock.url);
    let request = ModelRequest::new([Message::user("Look it up.")]);
    let response = model.generate(&request, sink).await;
    (response, mock.requests().into_iter().map(|request| request.body).collect())
}

fn unary(content: Value, reason: &str) -> String {
    let usage = json!({"input_tokens": 10, "output_tokens": 2});
    http(
        "200 OK",
        "",
        &json!({"content": content, "stop_reason": reason, "usage": usage}).to_string(),
    )
}

fn search() -> Value {
    json!({"type": "server_tool_use", "id": "srvtoolu_1", "name": "web_search", "input": {"query": "tides"}})
}

#[tokio::test]
async fn paused_turn_is_continued_automatically_as_one_response() {
    let found = json!([{"type": "web_search_tool_result", "tool_use_id": "srvtoolu_1", "content": []}, {"type": "text", "text": "High at four."}]);
    let answers = vec![
        unary(json!([{"type": "text", "text": "A moment. "}]), "pause_turn"),
        unary(json!([search()]), "pause_turn"),
        unary(found.clone(), "end_turn"),
    ];
    let (response, asked) = asks(answers, &ChunkSink::none()).await;
    let response = response.unwrap();
    assert_eq!(response.finish_reason, Some(FinishReason::Stop));
    assert_eq!((response.usage.input_tokens, response.usage.output_tokens), (Some(30), Some(6)));
    let message = response.message.unwrap();
    assert_eq!((message.text(), message.content.len()), ("A moment. High at four.".to_owned(), 4));
    assert_eq!(asked.len(), 3);
    let said = &asked[2]["messages"][1];
    assert_eq!((&said["role"], &said["content"][1]), (&json!("assistant"), &search()));
}

#[tokio::test]
async fn endlessly_paused_turn_is_returned_unchanged() {
    let (response, asked) =
        asks(vec![unary(json!([search()]), "pause_turn")], &ChunkSink::none()).await;
    let response = response.unwrap();
    assert_eq!(response.finish_reason, Some(FinishReason::Other));
    assert_eq!(response.finish_message.as_deref(), Some("pause_turn"));
    assert_eq!((asked.len(), response.message.unwrap().content.len()), (6, 6));
}

/// Returns a stream of one text.
fn streamed(text: &str, end: &[Value]) -> String {
    let mut events = vec![
        json!({"type": "message_start", "message": {"usage": {"input_tokens": 10, "output_tokens": 1}}}),
        json!({"type": "content_block_start", "index": 0, "content_block": {"type": "text", "text": ""}}),
        json!({"type": "content_block_delta", "index": 0, "delta": {"type": "text_delta", "text": text}}),
    ];
    events.extend_from_slice(end);
    let body: String = events
        .iter()
        .map(|event| format!("event: {}\ndata: {event}\n\n", event["type"].as_str().unwrap()))
        .collect();
    http("200 OK", "content-type: text/event-stream\r\n", &body)
}

#[tokio::test]
async fn paused_turn_continues_in_the_same_stream() {
    let ends = |reason: &str| {
        [
            json!({"type": "message_delta", "delta": {"stop_reason": reason}}),
            json!({"type": "message_stop"}),
        ]
    };
    let answers =
        vec![streamed("High ", &ends("pause_turn")), streamed("at four.", &ends("end_turn"))];
    let (sink, seen) = listening();
    let (response, asked) = asks(answers, &sink).await;
    assert_eq!(response.unwrap().message.unwrap().text(), "High at four.");
    assert_eq!((seen.lock().unwrap().as_str(), asked.len()), ("High at four.", 2));
}

#[tokio::test]
async fn overload_during_a_stream_is_an_error_after_the_sent_text() {
    let error =
        json!({"type": "error", "error": {"type": "overloaded_error", "message": "Overloaded"}});
    let (sink, seen) = listening();
    let (response, asked) = asks(vec![streamed("High ", &[error])], &sink).await;
    let error = response.unwrap_err();
    assert_eq!((error.kind(), error.is_retryable()), (ErrorKind::Unavailable, true));
    assert_eq!((seen.lock().unwrap().as_str(), asked.len()), ("High ", 1));
}
