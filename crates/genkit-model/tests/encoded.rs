//! Tests that each provider encodes the same body with and without the cache of encoded messages.

#![allow(clippy::unwrap_used, reason = "a failed unwrap fails the test")]

use std::sync::Arc;

use serde_json::json;

use genkit_anthropic::Anthropic;
use genkit_core::internal::model::EncodedMessages;
use genkit_core::{Message, ModelRequest, Part, Role, ToolRequest, ToolResponse};
use genkit_gemini::Gemini;
use genkit_model::Model;
use genkit_ollama::Ollama;
use genkit_openai::{OpenAi, OpenAiResponses};

fn models() -> [Arc<dyn Model>; 5] {
    [
        Anthropic::builder().api_key("KEY").build().unwrap().model("claude-sonnet-4-5"),
        Gemini::builder().api_key("KEY").build().unwrap().model("gemini-2.5-flash"),
        Ollama::builder().build().unwrap().model("qwen3"),
        OpenAi::builder().api_key("KEY").build().unwrap().model("gpt-4.1"),
        OpenAiResponses::builder().api_key("KEY").build().unwrap().model("gpt-5"),
    ]
}

fn begun() -> ModelRequest {
    let mut request = ModelRequest::new([Message::system("Be brief."), Message::user("Add.")]);
    request.encoded = EncodedMessages::for_run();
    request
}

fn round(number: i64) -> [Message; 2] {
    let id = format!("call_{number}");
    let call = ToolRequest::new("add", json!({"a": number})).with_id(id.clone());
    let answer = ToolResponse::new("add", json!(number)).with_id(id);
    [
        Message::new(Role::Model, [Part::text("So be it."), Part::tool_request(call)]),
        Message::new(Role::Tool, [Part::tool_response(answer)]),
    ]
}

/// Returns the body, after checking that it equals the body encoded without a cache.
fn body(model: &Arc<dyn Model>, request: &ModelRequest) -> Vec<u8> {
    let body = model.body(request, false).unwrap().unwrap();
    let whole = model.body(&request.clone(), false).unwrap().unwrap();
    assert_eq!(String::from_utf8_lossy(&body), String::from_utf8_lossy(&whole), "{}", model.name());
    body
}

#[test]
fn each_provider_keeps_all_that_a_run_has_sent() {
    for model in models() {
        let mut request = begun();
        for number in 0..3 {
            body(&model, &request);
            let kept = request.encoded.message_count();
            assert_eq!(kept, request.messages.len(), "{}", model.name());
            request.messages.extend(round(number));
        }
    }
}

#[test]
fn consecutive_model_messages_are_encoded_together() {
    for model in models() {
        let mut request = begun();
        request.messages.push(Message::model("It is  "));
        body(&model, &request);
        request.messages.push(Message::model("three."));
        body(&model, &request);
        // A tool call may receive its response late, or never.
        let [call, answer] = round(7);
        for message in [call, Message::model("I wait."), answer, Message::model("Seven.")] {
            request.messages.push(message);
            body(&model, &request);
        }
    }
}

#[test]
fn cache_markers_are_recounted() {
    let [claude, ..] = models();
    let mut request = begun();
    for number in 0..6 {
        body(&claude, &request);
        let [call, mut answer] = round(number);
        answer.content = answer.content.into_iter().map(Part::with_cache).collect();
        request.messages.extend([call, answer]);
    }
    let text = String::from_utf8(body(&claude, &request)).unwrap();
    assert_eq!(text.matches("cache_control").count(), 4, "{text}");
}
