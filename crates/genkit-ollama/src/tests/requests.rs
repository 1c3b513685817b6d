use std::time::Duration;

use serde_json::{Value, json};

use super::{Ollama, body, read, wire, wire_of};
use genkit_model::internal::wire::WireFormat as _;

fn with_config(model: &str, config: Value) -> Value {
    body(
        model,
        json!({"messages": [{"role": "user", "content": [{"text": "hi"}]}], "config": config}),
    )
}

fn messages(messages: Value) -> Value {
    body("m", json!({"messages": messages}))["messages"].clone()
}

#[test]
fn settings_are_sent_at_the_top_level_or_in_options() {
    let body = with_config(
        "m",
        json!({"temperature": 0, "topK": 3, "seed": 7, "num_ctx": 8192, "min_p": 0.1, "keepAlive": "1h", "logprobs": true,
            "stopSequences": [], "presencePenalty": null, "apiKey": "never", "version": "other",
            "options": {"mirostat": 1, "top_k": 9}}),
    );
    assert_eq!(body["model"], "other");
    assert_eq!(
        body["options"],
        json!({"temperature": 0, "top_k": 9, "seed": 7, "num_ctx": 8192, "min_p": 0.1, "mirostat": 1})
    );
    assert_eq!((&body["keep_alive"], &body["logprobs"]), (&json!("1h"), &json!(true)));
    assert!(!body.to_string().contains("never"));
    assert_eq!(with_config("m", json!({})).get("options"), None);
}

#[test]
fn builder_settings_are_defaults_for_requests() {
    let builder = Ollama::builder().num_ctx(16_384).keep_alive(Duration::from_secs(90));
    let wire = wire_of(builder, "m");
    let sent = |request: Value| -> Value {
        serde_json::from_slice(&wire.encode_request(&read(request), true).unwrap().body).unwrap()
    };
    let body = sent(json!({"messages": []}));
    assert_eq!((&body["options"]["num_ctx"], &body["keep_alive"]), (&json!(16_384), &json!(90.0)));
    assert_eq!(body["stream"], true);
    let body = sent(json!({"messages": [], "config": {"num_ctx": 512, "keep_alive": 0}}));
    assert_eq!((&body["options"]["num_ctx"], &body["keep_alive"]), (&json!(512), &json!(0)));
    let forever = wire_of(Ollama::builder().keep_alive(Duration::MAX), "m");
    assert_eq!(forever.settings.keep_alive, Some(json!(-1)));
}

#[test]
fn effort_is_a_word_at_gpt_oss_and_yes_or_no_elsewhere() {
    for (model, effort, think) in [
        ("qwen3", "none", json!(false)),
        ("qwen3", "minimal", json!(true)),
        ("qwen3:8b", "max", json!(true)),
        ("gpt-oss:20b", "minimal", json!("low")),
        ("me/gpt-oss", "medium", json!("medium")),
        ("gpt-oss", "max", json!("high")),
        ("gpt-oss", "none", json!("low")),
    ] {
        assert_eq!(
            with_config(model, json!({"reasoningEffort": effort}))["think"],
            think,
            "{model} {effort}"
        );
    }
    // The API's own key takes precedence.
    let both = json!({"reasoningEffort": "high", "think": false});
    assert_eq!(with_config("gpt-oss", both)["think"], false);
}

#[test]
fn conversation_has_thoughts_calls_and_answers() {
    let sent = messages(json!([
        {"role": "user", "content": [{"text": "a"}, {"text": "b"}]},
        {"role": "model", "content": [
            {"reasoning": "hm"}, {"text": "let me see"},
            {"toolRequest": {"name": "fs/read", "ref": "call_1", "input": {"path": "x"}}},
            {"toolRequest": {"name": "now", "ref": "g1"}, "metadata": {"generatedRef": true}},
            {"toolRequest": {"name": "cut", "partial": true}}]},
        {"role": "tool", "content": [
            {"toolResponse": {"name": "fs/read", "ref": "call_1", "output": {"n": 1}}},
            {"toolResponse": {"name": "now", "ref": "g1", "output": null}}]},
        {"role": "model", "content": [{"custom": {"executableCode": {}}}]},
        {"role": "model", "content": [{"text": "done"}]},
    ]));
    assert_eq!(
        sent,
        json!([
            {"role": "user", "content": "ab"},
            {"role": "assistant", "content": "let me see", "thinking": "hm", "tool_calls": [
                {"id": "call_1", "function": {"name": "fs__read", "arguments": {"path": "x"}}},
                {"function": {"name": "now", "arguments": {}}}]},
            {"role": "tool", "content": r#"{"n":1}"#, "tool_name": "fs__read", "tool_call_id": "call_1"},
            {"role": "tool", "content": "null", "tool_name": "now"},
            {"role": "assistant", "content": "done"},
        ])
    );
}

#[test]
fn tool_media_follows_all_tool_results() {
    let sent = messages(json!([
        {"role": "tool", "content": [
            {"toolResponse": {"name": "a", "output": "x", "content": [
                {"text": "y"}, {"media": {"url": "data:image/png;base64,AQ==", "contentType": "image/png"}}]}},
            {"toolResponse": {"name": "b", "output": 1}}]},
        {"role": "user", "content": [{"text": "so?"}]},
    ]));
    assert_eq!(sent[0], json!({"role": "tool", "content": "x\ny", "tool_name": "a"}));
    assert_eq!(sent[1]["tool_name"], "b");
    assert_eq!(
        sent[2],
        json!({"role": "user", "content": "The tool `a` shows image 1.\n", "images": ["AQ=="]})
    );
    assert_eq!(sent[3]["content"], "so?");
}

#[test]
fn images_are_bytes_and_other_files_are_rejected() {
    let user = |part: Value| {
        read(json!({"messages": [{"role": "user", "content": [{"text": "?"}, part]}]}))
    };
    let image = |url: &str| user(json!({"media": {"url": url}}));
    let sent = |request| -> Value {
        serde_json::from_slice(&wire("m").encode_request(&request, false).unwrap().body).unwrap()
    };
    assert_eq!(sent(image("data:image/png;base64,AQ=="))["messages"][0]["images"], json!(["AQ=="]));
    assert_eq!(
        sent(image("data:image/svg+xml,%3Csvg/%3E"))["messages"][0]["images"],
        json!(["PHN2Zy8+"])
    );
    let blob = json!({"resource": {"uri": "a://b", "mimeType": "image/png", "blob": "AQ=="}});
    assert_eq!(sent(user(blob))["messages"][0]["images"], json!(["AQ=="]));
    for (url, remedy) in [
        ("https://a.b/c.png", "download_media()"),
        ("data:application/pdf;base64,AQ==", "no files other than images"),
        ("data:", "no files other than images"),
    ] {
        let error = wire("m").encode_request(&image(url), false).err().unwrap().to_string();
        assert!(
            error.starts_with("ollama: message 1: part 2: ") && error.contains(remedy),
            "{error}"
        );
    }
}

#[test]
fn output_is_constrained_without_tools() {
    let schema =
        json!({"type": "object", "properties": {"n": {"type": "integer"}}, "required": ["n"]});
    let of = |output: Value, tools: Value| {
        body("m", json!({"messages": [], "output": output, "tools": tools}))
    };
    let bound = json!({"format": "json", "schema": schema, "constrained": true});
    assert_eq!(of(bound.clone(), json!([]))["format"], schema);
    assert_eq!(of(bound, json!([{"name": "t"}])).get("format"), None);
    assert_eq!(of(json!({"format": "json"}), json!([]))["format"], "json");
    assert_eq!(
        of(json!({"format": "json", "schema": schema, "constrained": false}), json!([]))["format"],
        "json"
    );
    assert_eq!(of(json!({"format": "array"}), json!([])).get("format"), None);
    assert_eq!(of(json!({"format": "text"}), json!([])).get("format"), None);
}

#[test]
fn documents_are_appended_to_the_user_message() {
    let request = json!({"messages": [{"role": "user", "content": [{"text": "When?"}]}],
        "docs": [{"content": [{"text": "At noon."}]}]});
    let content = body("m", request)["messages"][0]["content"].as_str().unwrap().to_owned();
    assert!(
        content.starts_with("When?\n\nUse the following") && content.contains("- [0]: At noon."),
        "{content}"
    );
    let alone = body("m", json!({"messages": [], "docs": [{"content": [{"text": "At noon."}]}]}));
    assert_eq!(alone["messages"].as_array().unwrap().len(), 1);
}
