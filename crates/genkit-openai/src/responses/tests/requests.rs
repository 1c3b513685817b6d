use serde_json::{Value, json};

use super::{at, body, decode, read, user};
use genkit_core::ErrorKind;
use genkit_core::ToolChoice;
use genkit_model::internal::wire::WireFormat as _;

fn with_config(model: &str, config: Value) -> Value {
    body(model, json!({"messages": [user()], "config": config}))
}

#[test]
fn settings_have_the_names_of_the_api() {
    let config = json!({
        "temperature": 0.5, "topP": 0.5, "topK": 3, "maxOutputTokens": 90, "stopSequences": ["x"],
        "seed": null, "reasoningEffort": "high", "reasoningSummary": "auto", "apiKey": "k", "stream": true,
        "version": "gpt-5.2-2", "verbosity": "low", "truncation": "auto",
    });
    assert_eq!(
        with_config("gpt-5.2", config),
        json!({
            "model": "gpt-5.2-2", "input": [{"role": "user", "content": [{"type": "input_text", "text": "hi"}]}],
            "temperature": 0.5, "top_p": 0.5, "max_output_tokens": 90, "store": false, "truncation": "auto",
            "reasoning": {"effort": "high", "summary": "auto"}, "text": {"verbosity": "low"},
        })
    );
    let sent = with_config(
        "o3",
        json!({"reasoning": {"effort": "low"}, "reasoningEffort": "high", "temperature": 0}),
    );
    assert_eq!(
        (&sent["reasoning"], &sent["temperature"]),
        (&json!({"effort": "low"}), &Value::Null)
    );
    let sent = with_config("gpt-5.2", json!({"reasoningEffort": "max", "maxOutputTokens": 1}));
    assert_eq!(
        (&sent["reasoning"]["effort"], &sent["max_output_tokens"]),
        (&json!("xhigh"), &json!(16))
    );
    let sent = with_config(
        "o3",
        json!({"topP": 1, "top_p": 2, "instructions": "Be brief.", "store": true}),
    );
    assert_eq!((&sent["top_p"], &sent["instructions"]), (&json!(2), &json!("Be brief.")));
    assert_eq!((&sent["store"], &sent["include"]), (&json!(true), &Value::Null));
}

#[test]
fn unsupported_settings_are_not_sent() {
    let thought = json!({"reasoning": "hm", "metadata": {"id": "rs_1", "encryptedContent": "x"}});
    let messages = json!([user(), {"role": "model", "content": [thought, {"text": "ho"}]}, user()]);
    let sent = body("gpt-4o", json!({"messages": messages, "config": {"reasoningEffort": "low"}}));
    assert_eq!((sent["input"].as_array().unwrap().len(), &sent["include"]), (3, &Value::Null));
    assert_eq!((&sent["store"], &sent["reasoning"]), (&json!(false), &Value::Null));
    assert_eq!(body("o3", json!({"messages": messages}))["input"].as_array().unwrap().len(), 4);
    let call =
        at("groq", "gpt-oss").encode_request(&read(json!({"messages": messages})), true).unwrap();
    let sent: Value = serde_json::from_slice(&call.body).unwrap();
    assert_eq!((&sent["store"], &sent["include"]), (&Value::Null, &Value::Null));
    for (model, streams) in [("gpt-5.2-pro", false), ("o3-pro", false), ("gpt-5-codex", true)] {
        let call =
            at("openai", model).encode_request(&read(json!({"messages": [user()]})), true).unwrap();
        let sent: Value = serde_json::from_slice(&call.body).unwrap();
        assert_eq!(sent["stream"] == true, streams, "{model}");
    }
}

#[test]
fn encrypted_thoughts_are_asked_for_where_they_are_of_use() {
    let asked = |model: &str, request: Value| body(model, request)["include"] != Value::Null;
    let tools = json!([{"name": "a"}]);
    assert!(asked("o3", json!({"messages": [user()], "tools": tools})));
    assert!(!asked("o3", json!({"messages": [user()], "tools": tools, "toolChoice": "none"})));
    assert!(!asked("gpt-4o", json!({"messages": [user()], "tools": tools})));
    assert!(!asked("o3", json!({"messages": [user()], "tools": tools, "config": {"store": true}})));
    assert!(asked(
        "o3",
        json!({"messages": [user()], "config": {"tools": [{"type": "web_search"}]}})
    ));
    assert!(!asked("o3", json!({"messages": [user()]})));
    let thought = json!({"reasoning": "hm", "metadata": {"id": "rs_1", "encryptedContent": "x"}});
    assert!(asked(
        "o3",
        json!({"messages": [user(), {"role": "model", "content": [thought, {"text": "ho"}]}]})
    ));
}

#[test]
fn key_is_in_a_header_alone() {
    let request = read(json!({"messages": [user()], "config": {"apiKey": "other"}}));
    let call = at("openai", "m").encode_request(&request, false).unwrap();
    assert!(call.headers.contains(&("authorization", "Bearer other".into())));
    assert!(!String::from_utf8_lossy(&call.body).contains("other"));
}

#[test]
fn tools_say_whether_they_are_strict() {
    let map = json!({"type": "object", "additionalProperties": {"type": "string"}});
    let sent = body(
        "o3",
        json!({
            "messages": [user()], "toolChoice": "required",
            "tools": [{"name": "a/b"}, {"name": "put", "description": "Puts.", "inputSchema": map}],
        }),
    );
    assert_eq!(
        sent["tools"],
        json!([
            {"type": "function", "name": "a__b", "strict": true,
             "parameters": {"type": "object", "properties": {}, "required": [], "additionalProperties": false}},
            {"type": "function", "name": "put", "description": "Puts.", "parameters": map, "strict": false},
        ])
    );
    assert_eq!(sent["tool_choice"], "required");
    let request = read(json!({"messages": [user()], "tools": [{"name": "a/b"}]}))
        .with_tool_choice(ToolChoice::tool("a/b"));
    let call = at("openai", "o3").encode_request(&request, false).unwrap();
    let sent: Value = serde_json::from_slice(&call.body).unwrap();
    assert_eq!(sent["tool_choice"], json!({"type": "function", "name": "a__b"}));
    assert_eq!(
        body("o3", json!({"messages": [user()], "toolChoice": "required"}))["tool_choice"],
        Value::Null
    );
}

#[test]
fn output_schema_is_strict_where_supported() {
    let format = |schema: Value| {
        let output = json!({"format": "json", "schema": schema, "constrained": true});
        body("o3", json!({"messages": [user()], "output": output, "config": {"verbosity": "low"}}))
            ["text"]
            .clone()
    };
    let text =
        format(json!({"type": "object", "title": "A b", "properties": {"a": {"type": "string"}}}));
    assert_eq!((&text["format"]["name"], &text["format"]["strict"]), (&json!("A_b"), &json!(true)));
    assert_eq!(
        (&text["verbosity"], &text["format"]["schema"]["required"]),
        (&json!("low"), &json!(["a"]))
    );
    let text = format(json!({"type": "object", "additionalProperties": {"type": "string"}}));
    assert_eq!(
        (&text["format"]["type"], &text["format"]["strict"]),
        (&json!("json_schema"), &json!(false))
    );
}

#[test]
fn ids_of_calls_that_are_too_long_or_missing_are_replaced_on_both_sides() {
    let long = "x".repeat(65);
    let sent = body(
        "o3",
        json!({"messages": [
            user(),
            {"role": "model", "content": [
                {"toolRequest": {"name": "a", "ref": long}}, {"toolRequest": {"name": "b", "input": "cut"}}]},
            {"role": "tool", "content": [
                {"toolResponse": {"name": "a", "ref": long, "output": 1}}, {"toolResponse": {"name": "b", "output": "x"}}]},
        ]}),
    );
    let input = sent["input"].as_array().unwrap();
    assert_eq!(input[1]["call_id"], input[3]["call_id"]);
    assert_eq!(input[2]["call_id"], input[4]["call_id"]);
    assert!(
        input[1..].iter().all(|item| (1..=64).contains(&item["call_id"].as_str().unwrap().len()))
    );
    assert_eq!((&input[2]["arguments"], &input[3]["output"]), (&json!("{}"), &json!("1")));
}

#[test]
fn call_and_its_answer_come_together() {
    let call = json!({"role": "model", "content": [{"toolRequest": {"name": "a", "ref": "c"}}]});
    let answer = json!({"role": "tool", "content": [{"toolResponse": {"name": "a", "ref": "c", "output": 1}}]});
    let kinds = |messages: Value| {
        let sent = body("o3", json!({"messages": messages}))["input"].clone();
        let kinds = sent
            .as_array()
            .unwrap()
            .iter()
            .map(|item| item["type"].as_str().unwrap_or("message").to_owned());
        kinds.collect::<Vec<_>>().join(" ")
    };
    let pair = "function_call function_call_output";
    assert_eq!(kinds(json!([call, answer, call])), pair);
    assert_eq!(kinds(json!([call, user(), call, answer])), format!("message {pair}"));
    assert_eq!(kinds(json!([answer, call, answer, answer])), pair);
    let alone =
        body("o3", json!({"messages": [{"role": "system", "content": [{"text": "Sing."}]}]}));
    assert_eq!(alone["input"], json!([{"role": "developer", "content": "Sing."}]));
}

#[test]
fn calls_of_a_stored_conversation_can_be_answered() {
    let answers = json!([{"role": "tool", "content": [{"toolResponse": {"name": "a", "ref": "c", "output": 1}}]}]);
    let sent = body("o3", json!({"messages": answers, "config": {"previousResponseId": "resp_1"}}));
    assert_eq!(
        (&sent["input"][0]["call_id"], &sent["previous_response_id"]),
        (&json!("c"), &json!("resp_1"))
    );
    assert_eq!(body("o3", json!({"messages": answers}))["input"], json!([]));
}

#[test]
fn video_and_audio_by_address_are_rejected_before_the_call() {
    for kind in ["video/mp4", "audio/mp3"] {
        let part = json!({"media": {"url": "https://a.b/c", "contentType": kind}});
        let request = read(json!({"messages": [{"role": "user", "content": [part]}]}));
        let error = at("openai", "o3").encode_request(&request, false).err().unwrap();
        assert_eq!(error.kind(), ErrorKind::InvalidArgument, "{kind}");
    }
}

#[test]
fn count_request_omits_unsupported_settings() {
    let request = json!({
        "messages": [{"role": "system", "content": [{"text": "Be brief."}]}, user()], "tools": [{"name": "a"}],
        "config": {"temperature": 1, "maxOutputTokens": 90, "reasoningEffort": "low", "metadata": {"a": "b"}},
    });
    let wire = at("openai", "gpt-5-mini");
    let call = wire.encode_count(&read(request)).unwrap().unwrap();
    assert_eq!(call.path, "/responses/input_tokens");
    let sent: Value = serde_json::from_slice(&call.body).unwrap();
    let keys: Vec<_> = sent.as_object().unwrap().keys().map(String::as_str).collect();
    assert_eq!(keys, ["input", "model", "instructions", "reasoning", "tools"]);
    assert_eq!(
        wire.decode_count(br#"{"object": "response.input_tokens", "input_tokens": 11}"#).unwrap(),
        11
    );
    assert_eq!(wire.decode_count(b"{}").unwrap_err().kind(), ErrorKind::Unavailable);
}

#[test]
fn response_without_output_is_an_error() {
    assert_eq!(decode(&json!({"object": "list"})).unwrap_err().kind(), ErrorKind::Unavailable);
    assert_eq!(decode(&json!({"status": "failed"})).unwrap_err().kind(), ErrorKind::Unknown);
    let error = decode(&json!({"error": {"code": "invalid_prompt", "message": "no"}})).unwrap_err();
    assert_eq!(
        (error.kind(), error.to_string()),
        (ErrorKind::InvalidArgument, "openai-responses: no".into())
    );
}
