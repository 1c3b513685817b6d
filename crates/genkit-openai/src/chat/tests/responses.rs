use serde_json::{Value, json};

use super::{at, decode, read};
use genkit_core::{ErrorKind, Part};
use genkit_core::{FinishReason, ModelRequest, ModelResponse};
use genkit_model::internal::wire::WireFormat as _;

fn read_response(message: Value, finish: &str) -> ModelResponse {
    let body = json!({"choices": [{"message": message, "finish_reason": finish}]});
    decode(&ModelRequest::default(), &body).unwrap()
}

fn content(response: &ModelResponse) -> Value {
    serde_json::to_value(&response.message.as_ref().unwrap().content).unwrap()
}

fn input(arguments: Value) -> Value {
    let call = json!({"function": {"name": "f", "arguments": arguments}});
    content(&read_response(json!({"tool_calls": [call]}), "stop"))[0]["toolRequest"]["input"]
        .clone()
}

#[test]
fn arguments_are_json_where_they_can_be() {
    assert_eq!(input(json!("{\"a\": 1}")), json!({"a": 1}));
    assert_eq!(input(json!({"a": 1})), json!({"a": 1}));
    for empty in [json!(""), json!(" "), json!("null"), Value::Null] {
        assert_eq!(input(empty), json!({}));
    }
    assert_eq!(input(json!("{\"a\": 1")), "{\"a\": 1");
    assert_eq!(input(json!("\"{\\\"a\\\": 1}\"")), json!({"a": 1}));
}

#[test]
fn nulls_that_strict_mode_asks_for_are_not_arguments() {
    let request = read(json!({"messages": [], "tools": [{"name": "a/b", "inputSchema": {
        "type": "object", "required": ["q"],
        "properties": {"q": {"type": "string"}, "limit": {"type": "integer"}}}}]}));
    let call = json!({"id": "1", "function": {"name": "a__b", "arguments": "{\"q\":\"x\",\"limit\":null}"}});
    let body =
        json!({"choices": [{"message": {"tool_calls": [call]}, "finish_reason": "tool_calls"}]});
    let response = decode(&request, &body).unwrap();
    let call = content(&response)[0]["toolRequest"].clone();
    assert_eq!(call, json!({"name": "a/b", "ref": "1", "input": {"q": "x"}}));
}

#[test]
fn parts_of_a_response_are_ordered() {
    let response = read_response(
        json!({
            "content": [{"type": "text", "text": "a"}], "reasoning": "hm",
            "reasoning_details": [{"type": "reasoning.text", "text": "hm"}],
            "images": [{"image_url": {"url": "data:image/webp;base64,AQ=="}}],
            "tool_calls": [{"id": "", "function": {"name": "f"}}],
            "extra_content": {"google": {"thought_signature": "s"}},
        }),
        "tool_calls",
    );
    assert_eq!(
        content(&response),
        json!([
            {"reasoning": "hm", "metadata": {"reasoningDetails": [{"type": "reasoning.text", "text": "hm"}]}},
            {"text": "a"},
            {"media": {"url": "data:image/webp;base64,AQ==", "contentType": "image/webp"}},
            {"toolRequest": {"name": "f", "input": {}},
             "metadata": {"thoughtSignature": "s", "signedBy": "gemini", "extraContent": {"google": {"thought_signature": "s"}}}},
        ])
    );
    let hidden = read_response(
        json!({"reasoning_details": [{"type": "reasoning.encrypted", "data": "x"}]}),
        "stop",
    );
    assert!(matches!(&hidden.message.unwrap().content[..], [Part::Reasoning { .. }]));
}

#[test]
fn every_reason_to_stop_is_known() {
    for (finish, reason) in [
        ("stop", FinishReason::Stop),
        ("function_call", FinishReason::Stop),
        ("length", FinishReason::Length),
        ("content_filter", FinishReason::Blocked),
        ("model_length", FinishReason::Length),
        ("", FinishReason::Unknown),
    ] {
        assert_eq!(
            read_response(json!({"content": "a"}), finish).finish_reason,
            Some(reason),
            "{finish}"
        );
    }
    let refused = read_response(json!({"content": null, "refusal": "no"}), "stop");
    assert_eq!(refused.finish_reason, Some(FinishReason::Blocked));
    assert_eq!(refused.finish_message.as_deref(), Some("no"));
}

#[test]
fn usage_is_read_from_the_response_and_from_x_groq() {
    let usage = |body: Value| decode(&ModelRequest::default(), &body).unwrap().usage;
    let choices = json!([{"message": {"content": "a"}}]);
    let told = usage(json!({"choices": choices, "usage": {
        "prompt_tokens": 5, "completion_tokens": 3, "total_tokens": 8, "prompt_cache_hit_tokens": 4,
        "completion_tokens_details": {"reasoning_tokens": 2}, "cost": 0.5}}));
    assert_eq!((told.input_tokens, told.thoughts_tokens), (Some(5), Some(2)));
    assert_eq!((told.cached_content_tokens, &told.custom["cost"]), (Some(4), &json!(0.5)));
    let told = usage(json!({"choices": choices, "x_groq": {"usage": {"prompt_tokens": 5}}}));
    assert_eq!(told.input_tokens, Some(5));
}

#[test]
fn responses_without_a_usable_choice_are_errors() {
    let request = ModelRequest::default();
    let kind = |body: Value| decode(&request, &body).unwrap_err().kind();
    assert_eq!(
        kind(json!({"error": {"message": "no", "code": 402}})),
        ErrorKind::ResourceExhausted
    );
    let within = json!({"choices": [{"error": {"message": "no", "code": 503}}]});
    assert_eq!(kind(within), ErrorKind::Unavailable);
    assert_eq!(kind(json!({"choices": []})), ErrorKind::Unavailable);
    assert_eq!(kind(json!({})), ErrorKind::Unavailable);
    assert_eq!(kind(json!({"choices": 7})), ErrorKind::Internal);
    let cut = at("openai", "m").decode_response(&request, br#"{"choices": ["#).unwrap_err();
    assert_eq!(cut.kind(), ErrorKind::Unavailable);
}
