use serde_json::{Value, json};

use super::{SONNET, body, call, messages};
use genkit_core::ErrorKind;

fn user(content: Value) -> Value {
    json!([{"role": "user", "content": content}])
}

#[test]
fn tool_results_come_first_and_each_call_has_one() {
    let call = |id: &str| json!({"toolRequest": {"name": "a", "ref": id, "input": {}}});
    let sent = messages(json!([
        {"role": "user", "content": [{"text": "go"}]},
        {"role": "model", "content": [call("c1"), call("c/2"), call("c3")]},
        {"role": "user", "content": [{"text": "Well?"}]},
        {"role": "tool", "content": [
            {"toolResponse": {"name": "a", "ref": "c/2", "output": null}},
            {"toolResponse": {"name": "a", "ref": "c1", "output": {"n": 1}}},
            {"toolResponse": {"name": "b", "ref": "lost", "output": "x"}},
        ]},
    ]));
    let ids: Vec<_> = sent[1]["content"].as_array().unwrap().iter().map(|it| &it["id"]).collect();
    assert_eq!((ids[0], ids[2]), (&json!("c1"), &json!("c3")));
    assert!(ids[1].as_str().unwrap().starts_with("toolu_"));
    assert_eq!(
        sent[2]["content"],
        json!([
            {"type": "tool_result", "tool_use_id": ids[1]},
            {"type": "tool_result", "tool_use_id": "c1", "content": "{\"n\":1}"},
            {"type": "tool_result", "tool_use_id": "c3", "content": "This call was not answered.", "is_error": true},
            {"type": "text", "text": "Well?"},
            {"type": "text", "text": "The tool `b` answered:"},
            {"type": "text", "text": "x"},
        ])
    );
    assert_eq!(sent.as_array().unwrap().len(), 3);
}

#[test]
fn calls_in_the_last_message_are_answered_too() {
    let sent = messages(json!([
        {"role": "user", "content": [{"text": "go"}]},
        {"role": "model", "content": [{"toolRequest": {"name": "a", "input": {}}}]},
    ]));
    assert_eq!(sent[2]["role"], "user");
    assert_eq!(sent[2]["content"][0]["tool_use_id"], sent[1]["content"][0]["id"]);
}

#[test]
fn first_message_is_from_the_user_and_empty_messages_are_omitted() {
    let sent = messages(json!([
        {"role": "model", "content": [{"text": "Hello "}, {"text": " "}]},
        {"role": "model", "content": []},
        {"role": "user", "content": [{"text": ""}]},
    ]));
    let roles: Vec<_> = sent.as_array().unwrap().iter().map(|it| &it["role"]).collect();
    assert_eq!(roles, ["user", "assistant"]);
    assert_eq!(sent[1]["content"], json!([{"type": "text", "text": "Hello"}]));
    let sent = body(SONNET, json!({"messages": [{"role": "system", "content": [{"text": "s"}]}]}));
    assert_eq!(sent["messages"].as_array().unwrap().len(), 1);
    assert_eq!(sent["system"], json!([{"type": "text", "text": "s"}]));
}

#[test]
fn parts_of_other_providers_are_not_sent() {
    let sent = messages(json!([
        {"role": "user", "content": [{"text": "go"}]},
        {"role": "model", "content": [
            {"reasoning": "unsigned"},
            {"reasoning": "foreign", "metadata": {"thoughtSignature": "g", "signedBy": "gemini"}},
            {"reasoning": "", "metadata": {"thoughtSignature": "own=", "signedBy": "anthropic"}},
            {"custom": {"redactedThinking": "r"}},
            {"custom": {"executableCode": {"code": "1"}}},
            {"text": "signed", "metadata": {"thoughtSignature": "g", "signedBy": "gemini"}},
            {"toolRequest": {"name": "a", "ref": "1", "input": {}, "partial": true}},
        ]},
    ]));
    assert_eq!(
        sent[1]["content"],
        json!([
            {"type": "thinking", "thinking": "", "signature": "own="},
            {"type": "redacted_thinking", "data": "r"},
            {"type": "text", "text": "signed"},
        ])
    );
}

#[test]
fn files_are_images_documents_or_rejected() {
    let media = |url: &str, kind: &str| {
        user(json!([{"media": {"url": url, "contentType": kind}, "metadata": {"title": "T"}}]))
    };
    let sent = |url: &str, kind: &str| messages(media(url, kind))[0]["content"][0].take();
    assert_eq!(
        sent("data:image/jpg;base64,AQI=", "image/jpg")["source"],
        json!({"type": "base64", "media_type": "image/jpeg", "data": "AQI="})
    );
    assert_eq!(
        sent("data:text/markdown;charset=utf-8;base64,IyBo", "text/markdown"),
        json!({"type": "document", "title": "T", "source": {"type": "text", "media_type": "text/plain", "data": "# h"}})
    );
    assert_eq!(sent("data:,a%20b", "")["source"]["data"], "a b");
    assert_eq!(
        sent("https://a.example/b.pdf?x=1", "")["source"],
        json!({"type": "url", "url": "https://a.example/b.pdf?x=1"})
    );
    assert_eq!(sent("https://a.example/b", "")["type"], "image");
    let by_id = call(SONNET, json!({"messages": media("file_7", "application/pdf")})).unwrap();
    assert!(by_id.headers.contains(&("anthropic-beta", "files-api-2025-04-14".into())));
    for (url, kind, says) in [
        ("data:audio/wav;base64,AQ==", "audio/wav", "audio and video are not supported"),
        ("https://a.example/b", "video/mp4", "audio and video are not supported"),
        ("data:image/tiff;base64,AQ==", "image/tiff", "PNG, JPEG, GIF or WebP"),
        ("data:application/zip;base64,AQ==", "application/zip", "an image, a PDF or text"),
        ("data:text/plain;base64,*", "text/plain", "not valid base64"),
        ("data:text/plain;base64,/w==", "text/plain", "not valid UTF-8"),
        ("https://a.example/b", "text/plain", "by URL"),
        ("data:x", "image/png", "must contain a comma"),
    ] {
        let error = call(SONNET, json!({"messages": media(url, kind)})).err().unwrap();
        assert_eq!(error.kind(), ErrorKind::InvalidArgument);
        let text = error.to_string();
        assert!(
            text.starts_with("anthropic: message 1: part 1: ") && text.contains(says),
            "{text}"
        );
    }
    let system = json!({"messages": [{"role": "system", "content": [{"media": {"url": "data:image/png;base64,AQ=="}}]}]});
    assert!(call(SONNET, system).err().unwrap().to_string().contains("only text"));
}

#[test]
fn tool_media_is_sent_in_the_tool_result() {
    let sent = messages(json!([
        {"role": "user", "content": [{"text": "go"}]},
        {"role": "model", "content": [{"toolRequest": {"name": "a", "ref": "1"}}]},
        {"role": "tool", "content": [{"toolResponse": {"name": "a", "ref": "1", "output": "seen", "content": [
            {"media": {"url": "data:image/png;base64,AQ==", "contentType": "image/png"}},
            {"resource": {"uri": "note://1", "text": "note"}},
        ]}}]},
    ]));
    assert_eq!(sent[1]["content"][0]["input"], json!({}));
    let content = sent[2]["content"][0]["content"].as_array().unwrap();
    let kinds: Vec<_> = content.iter().map(|block| &block["type"]).collect();
    assert_eq!(kinds, ["text", "image", "text"]);
}

#[test]
fn tools_are_chosen_and_named() {
    let tools = json!([{"name": "a/b", "description": "d", "inputSchema": {"type": "object"}}]);
    let with = |choice: Value, config: Value| {
        let mut request =
            json!({"messages": user(json!([{"text": "x"}])), "tools": tools, "config": config});
        request.as_object_mut().unwrap().extend(choice.as_object().unwrap().clone());
        body(SONNET, request)
    };
    let choice = |name: &str| json!({ "toolChoice": name });
    assert_eq!(with(json!({}), json!({})).get("tool_choice"), None);
    assert_eq!(with(choice("auto"), json!({}))["tool_choice"], json!({"type": "auto"}));
    assert_eq!(with(choice("required"), json!({}))["tool_choice"], json!({"type": "any"}));
    assert_eq!(with(choice("none"), json!({}))["tool_choice"], json!({"type": "none"}));
    let one = json!({"toolChoice": "required", "toolChoiceName": "a/b"});
    let sent = with(one, json!({"disableParallelToolUse": true}));
    assert_eq!(
        sent["tool_choice"],
        json!({"type": "tool", "name": "a__b", "disable_parallel_tool_use": true})
    );
    assert_eq!(sent["tools"][0]["name"], "a__b");
    let server = json!({"tools": [{"type": "web_search_20250305", "name": "web_search"}]});
    assert_eq!(with(json!({}), server)["tools"][1]["name"], "web_search");
}

#[test]
fn settings_are_mapped_and_unsupported_ones_are_omitted() {
    let with = |model: &str, config: Value| {
        body(model, json!({"messages": user(json!([{"text": "x"}])), "config": config}))
    };
    let sent = with(
        SONNET,
        json!({
            "temperature": 0, "topK": 3, "stopSequences": ["a"], "maxOutputTokens": 9, "seed": 7, "apiKey": "k",
            "serviceTier": "auto", "inference_geo": "eu", "metadata": {"user_id": "u"}, "version": "claude-x",
            "output_config": {"effort": "low"}, "betas": ["b1"],
        }),
    );
    let mut sent = sent.as_object().unwrap().clone();
    sent.retain(|key, _| key != "messages");
    assert_eq!(
        Value::Object(sent),
        json!({
            "model": "claude-x", "max_tokens": 9, "output_config": {"effort": "low"},
            "stop_sequences": ["a"], "service_tier": "auto", "inference_geo": "eu",
            "metadata": {"user_id": "u"},
        }),
        "a model of no number samples in its own way"
    );
    let both = json!({"temperature": 0.5, "topP": 0.9});
    assert_eq!(with(SONNET, both.clone()).get("top_p"), None);
    assert_eq!(with("claude-3-5-haiku-20241022", both.clone())["top_p"], 0.9);
    assert_eq!(with("claude-opus-4-8", both).get("temperature"), None);
    assert_eq!(with("claude-3-haiku-20240307", json!({}))["max_tokens"], 4_096);
}

#[test]
fn newer_version_takes_the_key_as_a_token() {
    let of = |config: Value| {
        let request = json!({"messages": user(json!([{"text": "x"}])), "config": config});
        let call = call(SONNET, request).unwrap();
        (call.headers, serde_json::from_slice::<Value>(&call.body).unwrap())
    };
    let (headers, _) = of(json!({"betas": "a, b"}));
    let has = |headers: &[(&str, std::borrow::Cow<'static, str>)], name: &str, value: &str| {
        headers.iter().any(|(known, own)| *known == name && own == value)
    };
    assert!(has(&headers, "x-api-key", "sk-ant-1") && has(&headers, "anthropic-beta", "a,b"));
    assert!(has(&headers, "anthropic-version", "2023-06-01"));
    let (headers, body) = of(json!({"apiVersion": "2026-10-21", "temperature": 0}));
    assert!(has(&headers, "authorization", "Bearer sk-ant-1"));
    assert!(has(&headers, "anthropic-version", "2026-10-21"));
    assert!(!headers.iter().any(|(name, _)| *name == "x-api-key"));
    assert_eq!(body.get("temperature"), None);
}

#[test]
fn output_is_constrained_if_the_schema_is_supported() {
    let schema = json!({"type": "object", "properties": {"n": {"type": "integer", "minimum": 1}}});
    let with = |model: &str, schema: &Value| {
        let output = json!({"format": "json", "schema": schema, "constrained": true});
        body(model, json!({"messages": user(json!([{"text": "x"}])), "output": output}))
    };
    let sent = with(SONNET, &schema);
    let format = &sent["output_config"]["format"];
    assert_eq!(format["type"], "json_schema");
    assert_eq!(format["schema"]["additionalProperties"], false);
    assert_eq!(
        format["schema"]["properties"]["n"],
        json!({"type": "integer", "description": "at least 1"})
    );
    // If strict mode does not support the schema, or the model does not support strict mode, the schema is in the
    // prompt.
    let map = json!({"type": "object", "additionalProperties": {"type": "string"}});
    for (model, schema) in [(SONNET, &map), ("claude-3-5-haiku-20241022", &schema)] {
        let sent = with(model, schema);
        assert_eq!(sent.get("output_config"), None);
        let words = sent["system"][0]["text"].as_str().unwrap();
        assert!(words.ends_with(&schema.to_string()), "{words}");
    }
}

#[test]
fn count_asks_for_no_answer() {
    use genkit_model::internal::wire::WireFormat as _;
    let wire = super::wire(SONNET);
    let request = super::read(json!({
        "messages": [{"role": "system", "content": [{"text": "s"}]}, {"role": "user", "content": [{"text": "x"}]}],
        "config": {"temperature": 0, "thinking": {"enabled": true, "budgetTokens": 2000}},
        "tools": [{"name": "a", "description": ""}],
    }));
    let call = wire.encode_count(&request).unwrap().unwrap();
    assert_eq!(call.path, "/v1/messages/count_tokens");
    let body: Value = serde_json::from_slice(&call.body).unwrap();
    let keys: Vec<_> = body.as_object().unwrap().keys().collect();
    assert_eq!(keys, ["messages", "model", "system", "tools", "thinking"]);
    assert_eq!(wire.decode_count(br#"{"input_tokens": 14}"#).unwrap(), 14);
    assert_eq!(wire.decode_count(b"{}").unwrap_err().kind(), ErrorKind::Unavailable);
}
