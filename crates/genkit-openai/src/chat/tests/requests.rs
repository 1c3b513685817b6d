use serde_json::{Value, json};

use super::{at, body, read};
use genkit_core::ModelRequest;
use genkit_core::{Message, Part, Role, ToolRequest};
use genkit_model::internal::wire::WireFormat as _;

fn user() -> Value {
    json!({"role": "user", "content": [{"text": "hi"}]})
}

fn with_config(server: &str, model: &str, config: Value) -> Value {
    body(server, model, json!({"messages": [user()], "config": config}))
}

#[test]
fn settings_have_the_names_of_the_api() {
    let sent = with_config(
        "openai",
        "gpt-4o",
        json!({
            "temperature": 0, "topP": 0.5, "topK": 3, "maxOutputTokens": 9, "stopSequences": ["x"],
            "logProbs": false, "topLogProbs": 2, "reasoningEffort": "low", "apiKey": "k", "seed": 7,
            "version": "gpt-4o-2", "user": null, "verbosity": "low", "stream": true,
        }),
    );
    assert_eq!(
        sent,
        json!({
            "model": "gpt-4o-2", "messages": [{"role": "user", "content": "hi"}],
            "temperature": 0, "top_p": 0.5, "max_completion_tokens": 9, "stop": ["x"],
            "logprobs": false, "top_logprobs": 2, "seed": 7, "verbosity": "low",
        })
    );
    let sent = with_config("openai", "o", json!({"topP": 1, "top_p": 2, "stopSequences": []}));
    assert_eq!(
        sent,
        json!({
            "model": "o", "messages": [{"role": "user", "content": "hi"}], "top_p": 2,
        })
    );
}

#[test]
fn models_that_reason_get_an_effort_and_no_temperature() {
    let config = json!({
        "temperature": 0.5, "topP": 0.5, "stopSequences": ["x"], "reasoningEffort": "max", "seed": 7,
    });
    let settings = |server, model| {
        let mut sent = with_config(server, model, config.clone());
        sent.as_object_mut().unwrap().retain(|key, _| key != "model" && key != "messages");
        sent
    };
    assert_eq!(settings("openai", "o3"), json!({"reasoning_effort": "high", "seed": 7}));
    assert_eq!(settings("openai", "gpt-5-mini"), json!({"reasoning_effort": "high", "seed": 7}));
    let all = json!({
        "temperature": 0.5, "top_p": 0.5, "stop": ["x"], "reasoning_effort": "xhigh", "seed": 7,
    });
    assert_eq!(settings("openai", "gpt-5.2"), all);
    assert_eq!(settings("openrouter", "qwen/qwen3")["reasoning_effort"], "high");
    let own = with_config("openai", "o3", json!({"reasoningEffort": "xhigh", "temperature": 1}));
    assert_eq!((&own["reasoning_effort"], &own["temperature"]), (&json!("xhigh"), &json!(1)));
}

#[test]
fn servers_deviate() {
    let limit = json!({"maxOutputTokens": 9, "topK": 3});
    let sent = with_config("vllm", "qwen", limit.clone());
    assert_eq!((&sent["max_tokens"], &sent["top_k"]), (&json!(9), &json!(3)));
    let sent = with_config("ollama", "qwen", limit);
    assert_eq!((&sent["max_tokens"], &sent["top_k"]), (&json!(9), &Value::Null));
    let system = json!({"messages": [{"role": "system", "content": [{"text": "a"}, {"text": "b"}]}, user()]});
    assert_eq!(body("openai", "gpt-5-mini", system.clone())["messages"][0]["role"], "developer");
    assert_eq!(body("openai", "gpt-4o", system.clone())["messages"][0]["content"], "ab");
    assert_eq!(body("groq", "o9", system)["messages"][0]["role"], "system");
    let call =
        at("openai", "m").encode_request(&read(json!({"messages": [user()]})), true).unwrap();
    let sent: Value = serde_json::from_slice(&call.body).unwrap();
    assert_eq!(sent["stream_options"], json!({"include_usage": true}));
    let call =
        at("mistral", "m").encode_request(&read(json!({"messages": [user()]})), true).unwrap();
    let sent: Value = serde_json::from_slice(&call.body).unwrap();
    assert_eq!((&sent["stream"], &sent["stream_options"]), (&json!(true), &Value::Null));
}

#[test]
fn key_is_in_a_header_alone() {
    let request = read(json!({"messages": [user()]}));
    let call = at("openai", "m").encode_request(&request, false).unwrap();
    assert!(call.headers.contains(&("authorization", "Bearer sk-secret".into())));
    assert!(!String::from_utf8_lossy(&call.body).contains("sk-") && !call.path.contains("sk-"));
    let request = read(json!({"messages": [user()], "config": {"apiKey": "other"}}));
    let call = at("openai", "m").encode_request(&request, false).unwrap();
    assert!(call.headers.contains(&("authorization", "Bearer other".into())));
    assert!(!String::from_utf8_lossy(&call.body).contains("other"));
}

fn round() -> Value {
    json!([
        user(),
        {"role": "model", "content": [
            {"reasoning": "hm", "metadata": {"reasoningDetails": [{"type": "reasoning.text", "text": "hm"}]}},
            {"text": "Looking."},
            {"toolRequest": {"name": "fs/show", "ref": "call_1", "input": {"a": "ü"}},
             "metadata": {"extraContent": {"google": {"thought_signature": "s"}}}},
            {"toolRequest": {"name": "now"}},
            {"toolRequest": {"name": "cut", "partial": true}},
        ]},
        {"role": "tool", "content": [
            {"toolResponse": {"name": "fs/show", "ref": "call_1", "output": {"n": 1}, "content": [
                {"text": "see"}, {"media": {"url": "data:image/png;base64,AQ=="}}]}},
            {"toolResponse": {"name": "now", "output": "noon"}},
        ]},
        {"role": "model", "content": [{"text": ""}]},
    ])
}

#[test]
fn round_of_tools_keeps_its_order_and_its_ids() {
    let tools = json!([{"name": "fs/show"}, {"name": "now", "description": "Tells the time."}]);
    let sent = body(
        "openai",
        "gpt-4o",
        json!({
            "messages": round(), "tools": tools, "toolChoice": "required",
        }),
    );
    assert_eq!(
        sent["messages"],
        json!([
            {"role": "user", "content": "hi"},
            {"role": "assistant", "content": "Looking.", "tool_calls": [
                {"id": "call_1", "type": "function",
                 "function": {"name": "fs__show", "arguments": "{\"a\":\"ü\"}"}},
                {"id": "call_without_ref_1", "type": "function",
                 "function": {"name": "now", "arguments": "{}"}},
            ]},
            {"role": "tool", "content": "{\"n\":1}\nsee", "tool_call_id": "call_1"},
            {"role": "tool", "content": "noon", "tool_call_id": "call_without_ref_1"},
            {"role": "user", "content": [
                {"type": "text", "text": "The tool `fs/show` (call_1) shows:"},
                {"type": "image_url", "image_url": {"url": "data:image/png;base64,AQ=="}},
            ]},
        ])
    );
    assert_eq!(
        sent["tools"],
        json!([
            {"type": "function", "function": {"name": "fs__show"}},
            {"type": "function", "function": {"name": "now", "description": "Tells the time."}},
        ])
    );
    assert_eq!(sent["tool_choice"], "required");
    let sent = body("openai", "gpt-4o", json!({"messages": [user()], "toolChoice": "required"}));
    assert_eq!(sent["tool_choice"], Value::Null);
}

#[test]
fn thoughts_and_signatures_go_back_where_they_are_wanted() {
    let assistant = |server: &str, model: &str| {
        body(server, model, json!({"messages": round()}))["messages"][1].clone()
    };
    let sent = assistant("openrouter", "anthropic/claude");
    assert_eq!(sent["reasoning_details"], json!([{"type": "reasoning.text", "text": "hm"}]));
    assert_eq!((&sent["reasoning"], &sent["reasoning_content"]), (&Value::Null, &Value::Null));
    assert_eq!(sent["tool_calls"][0]["extra_content"]["google"]["thought_signature"], "s");
    assert_eq!(assistant("deepseek", "deepseek-v4")["reasoning_content"], "hm");
    assert_eq!(assistant("together", "deepseek-ai/DeepSeek-V3")["reasoning_content"], "hm");
    for server in ["openai", "groq", "mistral"] {
        let sent = assistant(server, "deepseek-r1");
        assert_eq!(sent["reasoning_content"], Value::Null, "{server}");
        assert_eq!(sent["tool_calls"][0]["extra_content"], Value::Null, "{server}");
    }
    let ids = assistant("mistral", "large")["tool_calls"].clone();
    assert!(ids.as_array().unwrap().iter().all(|call| call["id"].as_str().unwrap().len() == 9));
}

#[test]
fn deepseek_receives_thoughts_with_every_later_call() {
    let call = |thought: Value| {
        json!({"role": "model", "content": [
        thought, {"toolRequest": {"name": "now", "ref": "1"}}]})
    };
    let messages = json!([call(json!({"reasoning": "hm"})), call(json!({"text": "a"}))]);
    let sent = body("deepseek", "deepseek-v4", json!({ "messages": messages }));
    // After the placeholder for the missing response.
    assert_eq!(sent["messages"][2]["reasoning_content"], "");
    let sent = body("deepseek", "deepseek-v4", json!({"messages": [call(json!({"text": "a"}))]}));
    assert_eq!(sent["messages"][0]["reasoning_content"], Value::Null);
}

#[test]
fn signature_of_the_gemini_api_is_accepted() {
    let messages = json!([{"role": "model", "content": [
        {"toolRequest": {"name": "now", "ref": "1"}, "metadata": {"thoughtSignature": "s"}}]}]);
    let request = json!({ "messages": messages });
    let sent = body("gemini-openai", "gemini-3-pro", request.clone());
    let extra = json!({"google": {"thought_signature": "s"}});
    assert_eq!(sent["messages"][0]["tool_calls"][0]["extra_content"], extra);
    let sent = body("openrouter", "qwen", request);
    assert_eq!(sent["messages"][0]["tool_calls"][0]["extra_content"], Value::Null);
}

#[test]
fn schemas_are_strict_if_supported() {
    let strict = json!({"type": "object", "required": ["a"], "properties": {
        "a": {"type": "string"}, "b": {"type": "integer"}}});
    let map = json!({"type": "object", "additionalProperties": {"type": "integer"}});
    let tools = json!([{"name": "s", "inputSchema": strict}, {"name": "m", "inputSchema": map}]);
    let request = json!({"messages": [user()], "tools": tools});
    let sent = body("openai", "gpt-4o", request.clone());
    let function = |sent: &Value, at: usize| sent["tools"][at]["function"].clone();
    assert_eq!(function(&sent, 0)["strict"], true);
    assert_eq!(function(&sent, 0)["parameters"]["required"], json!(["a", "b"]));
    assert_eq!(function(&sent, 1)["strict"], Value::Null);
    assert_eq!(function(&sent, 1)["parameters"], map);
    let sent = body("ollama", "qwen", request);
    assert_eq!(function(&sent, 0)["strict"], Value::Null);
    assert_eq!(function(&sent, 0)["parameters"], strict);
}

#[test]
fn schema_without_a_strict_form_is_sent_unchanged() {
    let schema = json!({"type": "object", "required": ["by"],
        "properties": {"by": {"anyOf": [{"$ref": "#/$defs/Code"}, {"const": "all"}]}},
        "$defs": {"Code": {"type": "string", "maxLength": 3}}});
    let tools = json!([{"name": "find", "inputSchema": schema}]);
    let output = json!({"format": "json", "schema": schema, "constrained": true});
    let request = json!({"messages": [user()], "tools": tools, "output": output});
    let sent = body("openai", "gpt-4o", request);
    assert_eq!(sent["tools"][0]["function"], json!({"name": "find", "parameters": schema}));
    let bound = &sent["response_format"]["json_schema"];
    assert_eq!((&bound["schema"], &bound["strict"]), (&schema, &Value::Null));
}

#[test]
fn one_tool_is_chosen_by_the_name_that_is_sent() {
    let tools = json!([{"name": "fs/show"}, {"name": "now"}]);
    let choice = |tools: &Value| {
        json!({"messages": [user()], "tools": tools, "toolChoice": "required",
            "toolChoiceName": "fs/show"})
    };
    let sent = body("openai", "gpt-4o", choice(&tools));
    let named = json!({"type": "function", "function": {"name": "fs__show"}});
    assert_eq!(sent["tool_choice"], named);
    assert_eq!(body("vllm", "qwen", choice(&tools))["tool_choice"], named);
    // These servers do not support a named tool in `tool_choice`, but with a single tool `required` has the same
    // effect.
    for server in ["llamacpp", "lmstudio"] {
        let error = at(server, "qwen").encode_request(&read(choice(&tools)), false).err().unwrap();
        assert!(error.to_string().contains("offer only this tool"), "{error}");
        let one = json!([{"name": "fs/show"}]);
        assert_eq!(body(server, "qwen", choice(&one))["tool_choice"], "required");
    }
}

#[test]
fn documents_stay_next_to_the_question_when_tools_have_answered() {
    let docs = json!([{"content": [{"text": "324 m"}]}]);
    let sent = body("openai", "gpt-4o", json!({"messages": round(), "docs": docs}));
    let question = sent["messages"][0]["content"].as_array().unwrap();
    assert_eq!(question.len(), 2);
    assert!(question[1]["text"].as_str().unwrap().contains("324 m"));
    assert_eq!(sent.to_string().matches("324 m").count(), 1);
    // Without a user message, the documents are sent in a separate message after the system message.
    let mut messages = round();
    messages[0] = json!({"role": "system", "content": [{"text": "s"}]});
    let sent = body("openai", "gpt-4o", json!({"messages": messages, "docs": docs}));
    assert_eq!(sent["messages"][1]["role"], "user");
    assert!(sent["messages"][1]["content"].as_str().unwrap().contains("324 m"));
}

#[test]
fn output_is_bound_as_far_as_the_server_can() {
    let format = |server: &str, output: Value| {
        let request = json!({"messages": [user()], "output": output});
        body(server, "m", request)["response_format"].clone()
    };
    let object =
        json!({"type": "object", "title": "A b", "properties": {}, "additionalProperties": false});
    let output = json!({"format": "json", "schema": object, "constrained": true});
    let sent = format("openai", output.clone());
    assert_eq!(sent["type"], "json_schema");
    assert_eq!(
        (&sent["json_schema"]["name"], &sent["json_schema"]["strict"]),
        (&json!("A_b"), &json!(true))
    );
    assert_eq!(format("deepseek", output.clone()), json!({"type": "json_object"}));
    assert_eq!(format("vllm", output)["json_schema"]["schema"], object);
    let free = json!({"format": "json", "schema": object, "constrained": false});
    assert_eq!(format("openai", free), json!({"type": "json_object"}));
    let any = json!({"contentType": "application/json"});
    assert_eq!(format("lmstudio", any.clone())["json_schema"]["schema"], json!({"type": "object"}));
    assert_eq!(format("openai", any), json!({"type": "json_object"}));
    let list = json!({"format": "array", "schema": {"type": "array"}, "constrained": true});
    assert_eq!(format("openai", list.clone()), Value::Null);
    assert_eq!(format("vllm", list)["type"], "json_schema");
    assert_eq!(format("openai", json!({"format": "text"})), Value::Null);
    let own = json!({"messages": [user()], "config": {"response_format": {"type": "text"}},
        "output": {"format": "json"}});
    assert_eq!(body("openai", "m", own)["response_format"], json!({"type": "text"}));
}

#[test]
fn run_keeps_what_it_sent_unless_its_end_is_open() {
    let wire = at("openai", "gpt-4o");
    let mut request = read(json!({"messages": [user()]})).with_encoding_cache();
    // Returns the number of cached messages. The body must equal the body that is encoded without a cache.
    let kept = |request: &ModelRequest| {
        let whole = wire.encode_request(&request.clone(), false).unwrap().body;
        let sent = wire.encode_request(request, false).unwrap().body;
        assert_eq!(String::from_utf8(sent).unwrap(), String::from_utf8(whole).unwrap());
        request.encoded.message_count()
    };
    let called = |id: &str| {
        let call = ToolRequest::new("add", json!({"a": 1}));
        let call = if id.is_empty() { call } else { call.with_id(id) };
        [Message::model(call.clone()), Message::new(Role::Tool, [call.respond(json!(2)).into()])]
    };
    assert_eq!(kept(&request), 1);
    for (round, id) in ["a", "b"].into_iter().enumerate() {
        request.messages.extend(called(id));
        assert_eq!(kept(&request), 3 + 2 * round);
    }
    let [call, answer] = called("c");
    request.messages.push(call);
    assert_eq!(kept(&request), 0, "the call has no response yet");
    request.messages.push(answer);
    assert_eq!(kept(&request), 7);
    request.messages.push(Message::model(Part::reasoning("Hm.")).with("So."));
    assert_eq!(kept(&request), 8);
    request.messages.extend(called(""));
    assert_eq!(kept(&request), 0, "generated ids are numbered across the whole request");
}
