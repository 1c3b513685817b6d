use serde_json::{Value, json};

use super::*;
use genkit_core::ErrorKind;
use genkit_core::ToolDefinition;
use genkit_core::{Message, Part, Role, ToolRequest, ToolResponse};

fn settings() -> GeminiSettings {
    GeminiSettings { key: Some("k-123456".into()), version: "v1beta".into(), openapi: false }
}

fn call(model: &str, request: Value) -> HttpCall {
    let request: ModelRequest = serde_json::from_value(request).unwrap();
    encode_request(&settings(), model, &request, Method::Generate).unwrap()
}

fn body(model: &str, request: Value) -> Value {
    serde_json::from_slice(&call(model, request).body).unwrap()
}

fn request_of(messages: Vec<Message>) -> ModelRequest {
    ModelRequest::new(messages)
}

fn contents_of(model: &str, request: &ModelRequest) -> Value {
    let call = encode_request(&settings(), model, request, Method::Generate).unwrap();
    serde_json::from_slice::<Value>(&call.body).unwrap()["contents"].take()
}

#[test]
fn names_stay_within_the_path() {
    let path = |model: &str| call(model, json!({"messages": []})).path;
    assert_eq!(path("gemini-2.5-pro"), "/v1beta/models/gemini-2.5-pro:generateContent");
    assert_eq!(path("tunedModels/a b"), "/v1beta/tunedModels/a%20b:generateContent");
    assert_eq!(path("x?key=1#y"), "/v1beta/models/x%3Fkey%3D1%23y:generateContent");
    let versions =
        json!({"messages": [], "config": {"version": "models/x-001", "apiVersion": "v1"}});
    assert_eq!(call("x", versions).path, "/v1/models/x-001:generateContent");
    let stream = encode_request(&settings(), "x", &request_of(vec![]), Method::Stream).unwrap();
    assert_eq!(stream.path, "/v1beta/models/x:streamGenerateContent?alt=sse");
}

#[test]
fn count_asks_with_the_whole_request() {
    let request = json!({
        "messages": [{"role": "user", "content": [{"text": "hi"}]}],
        "tools": [{"name": "now", "description": "Tells the time."}],
        "config": {"version": "x-001", "temperature": 0},
    });
    let request: ModelRequest = serde_json::from_value(request).unwrap();
    let call = encode_request(&settings(), "x", &request, Method::Count).unwrap();
    assert_eq!(call.path, "/v1beta/models/x-001:countTokens");
    let body: Value = serde_json::from_slice(&call.body).unwrap();
    let mut asked = serde_json::from_slice::<Value>(
        &encode_request(&settings(), "x", &request, Method::Generate).unwrap().body,
    )
    .unwrap();
    asked["model"] = json!("models/x-001");
    assert_eq!(body, json!({ "generateContentRequest": asked }));
    let of_mine =
        encode_request(&settings(), "tunedModels/mine", &request_of(vec![]), Method::Count)
            .unwrap();
    let body: Value = serde_json::from_slice(&of_mine.body).unwrap();
    assert_eq!(body["generateContentRequest"]["model"], "tunedModels/mine");
}

#[test]
fn key_is_sent_as_a_header_and_mcp_tools_are_reported() {
    let mut request = request_of(vec![Message::user("x")]);
    let header = |request: &ModelRequest, name: &str| {
        let call = encode_request(&settings(), "x", request, Method::Generate).unwrap();
        let found = call.headers.into_iter().find(|(own, _)| *own == name);
        found.map(|(_, value)| value).unwrap()
    };
    assert_eq!(header(&request, "x-goog-api-key"), "k-123456");
    assert_eq!(header(&request, "x-goog-api-client"), CLIENT);
    let mut tool = ToolDefinition::new("t", "");
    tool.metadata.insert("mcp".into(), json!({}));
    request.tools.push(tool);
    assert_eq!(header(&request, "x-goog-api-client"), format!("{CLIENT} mcp_used/unknown"));
}

#[test]
fn settings_have_their_places() {
    let body = body(
        "gemini-2.5-flash",
        json!({"messages": [], "config": {
            "temperature": 0, "newSetting": [1], "topK": null, "labels": {"a": "b"},
            "apiKey": "hidden", "baseUrl": "http://hidden", "googleSearch": true,
            "urlContext": false, "codeExecution": {"x": 1}, "tools": [{"own": {}}, 7],
            "functionCallingConfig": {"mode": "ANY", "allowedFunctionNames": ["a/b"]},
        }}),
    );
    let expected = json!({
        "contents": [],
        "tools": [{"googleSearch": {}}, {"codeExecution": {"x": 1}}, {"own": {}}],
        "toolConfig": {"functionCallingConfig": {"mode": "ANY", "allowedFunctionNames": ["a__b"]}},
        "labels": {"a": "b"},
        "generationConfig": {"temperature": 0, "newSetting": [1]},
    });
    assert_eq!(body, expected);
}

#[test]
fn generated_refs_are_not_sent() {
    let call = |reference: &str| ToolRequest::new("t", json!({})).with_id(reference);
    let request = request_of(vec![
        Message::model(Part::from(call("own")))
            .with(Part::from(call("made-up")).with_metadata("generatedRef", true)),
        Message::new(Role::Tool, [call("own").respond(1).into()]),
        Message::new(Role::Tool, [call("made-up").respond(2).into()]),
    ]);
    let contents = contents_of("gemini-2.5-flash", &request);
    assert_eq!(
        contents,
        json!([
            {"role": "model", "parts": [
                {"functionCall": {"id": "own", "name": "t", "args": {}}},
                {"functionCall": {"name": "t", "args": {}}},
            ]},
            {"role": "user", "parts": [
                {"functionResponse": {"id": "own", "name": "t", "response": {"output": 1}}},
                {"functionResponse": {"name": "t", "response": {"output": 2}}},
            ]},
        ])
    );
}

#[test]
fn tool_media_is_sent_inside_or_after_the_response() {
    let answer = |name: &str| {
        let mut answer = ToolResponse::new(name, json!({"error": "dark"}));
        answer.content = vec![Part::text("seen"), Part::image("image/png", [1])];
        Message::new(Role::Tool, [answer.into()])
    };
    let request = request_of(vec![answer("a"), answer("b")]);
    let image = json!({"inlineData": {"mimeType": "image/png", "data": "AQ=="}});
    let plain =
        |name: &str| json!({"functionResponse": {"name": name, "response": {"error": "dark"}}});
    let contents = contents_of("gemini-2.5-flash", &request);
    let text = json!({"text": "seen"});
    assert_eq!(contents[0]["parts"], json!([plain("a"), plain("b"), text, image, text, image]));
    let mut within = [plain("a"), plain("b")];
    for answer in &mut within {
        answer["functionResponse"]["parts"] = json!([image]);
    }
    let contents = contents_of("gemini-3-flash", &request);
    assert_eq!(contents[0]["parts"], json!([within[0], within[1], text, text]));
}

#[test]
fn signatures_and_sibling_fields_are_sent_back() {
    let parts = [
        Part::text("").with_metadata("thoughtSignature", "a+/=").with_metadata("purpose", "x"),
        Part::text(""),
        Part::reasoning("").with_metadata("thoughtSignature", "b"),
        Part::custom(json!({"executableCode": {"id": "1"}}).as_object().cloned().unwrap()),
        Part::custom(json!({"geminiPart": {"new": 1}}).as_object().cloned().unwrap()),
        Part::custom(json!({"redactedThinking": "x"}).as_object().cloned().unwrap()),
    ];
    let contents = contents_of("x", &request_of(vec![Message::new(Role::Model, parts)]));
    assert_eq!(
        contents[0]["parts"],
        json!([
            {"text": "", "thoughtSignature": "a+/="},
            {"text": "", "thought": true, "thoughtSignature": "b"},
            {"executableCode": {"id": "1"}},
            {"new": 1},
        ])
    );
}

#[test]
fn media_is_inline_or_a_file() {
    let media = |url: &str| {
        let part = json!({"media": {"url": url}});
        body("x", json!({"messages": [{"role": "user", "content": [part]}]}))["contents"][0]["parts"][0].take()
    };
    let inline = |kind: &str, data: &str| json!({"inlineData": {"mimeType": kind, "data": data}});
    assert_eq!(media("data:image/png;base64,AQ=="), inline("image/png", "AQ=="));
    assert_eq!(
        media("data:audio/L16;rate=8000;base64,AQ=="),
        inline("audio/L16;rate=8000", "AQ==")
    );
    assert_eq!(media("data:,a%20b%2"), inline("text/plain", "YSBiJTI="));
    assert_eq!(media("gs://a/b"), json!({"fileData": {"fileUri": "gs://a/b"}}));
    let broken = request_of(vec![Message::user("x"), Message::user(Part::media("data:x", "a/b"))]);
    let error = encode_request(&settings(), "x", &broken, Method::Generate).err().unwrap();
    assert_eq!(error.kind(), ErrorKind::InvalidArgument);
    assert!(error.to_string().contains("message 2: part 1: a `data:` URL"), "{error}");
}

#[test]
fn arguments_are_always_an_object() {
    let call = |input: Value| {
        let request = request_of(vec![Message::model(ToolRequest::new("t", input))]);
        contents_of("x", &request)[0]["parts"][0]["functionCall"]["args"].take()
    };
    assert_eq!(call(Value::Null), json!({}));
    assert_eq!(call(json!({"a": 1})), json!({"a": 1}));
    assert_eq!(call(json!("{cut")), json!({"input": "{cut"}));
}

#[test]
fn json_output_with_tools_requires_new_models() {
    let config = |model: &str, constrained: Option<bool>| {
        let mut request = request_of(vec![]);
        request.tools.push(ToolDefinition::new("t", ""));
        request.output.format = Some("json".into());
        request.output.schema = Some(json!({"type": "object"}).into());
        request.output.constrained = constrained;
        let call = encode_request(&settings(), model, &request, Method::Generate).unwrap();
        serde_json::from_slice::<Value>(&call.body).unwrap()["generationConfig"].take()
    };
    let hint = json!({"responseMimeType": "application/json"});
    assert_eq!(config("gemini-2.5-flash", Some(false)), Value::Null);
    assert_eq!(config("gemini-3-flash", None), hint);
    let both =
        json!({"responseMimeType": "application/json", "responseJsonSchema": {"type": "object"}});
    assert_eq!(config("gemini-2.5-flash", Some(true)), both);
}

#[test]
fn documents_are_added_once() {
    let docs = json!([{"content": [{"text": "324 m"}]}]);
    let count = |metadata: Value| {
        let part = json!({"text": "x", "metadata": metadata});
        let request = json!({"messages": [{"role": "user", "content": [part]}], "docs": docs});
        body("x", request)["contents"][0]["parts"].as_array().unwrap().len()
    };
    assert_eq!(count(json!({})), 2);
    assert_eq!(count(json!({"purpose": "context"})), 1);
}

#[test]
fn documents_stay_next_to_the_question_when_tools_have_answered() {
    let docs = json!([{"content": [{"text": "324 m"}]}]);
    let round = json!([
        {"role": "user", "content": [{"text": "How high?"}]},
        {"role": "model", "content": [{"toolRequest": {"name": "now", "ref": "1"}}]},
        {"role": "tool", "content": [{"toolResponse": {"name": "now", "ref": "1", "output": "noon"}}]},
    ]);
    let sent = body("x", json!({"messages": round, "docs": docs}));
    assert!(sent["contents"][0]["parts"][1]["text"].as_str().unwrap().contains("324 m"));
    assert_eq!(sent["contents"][2]["parts"].as_array().unwrap().len(), 1, "only the answer");
    // Without a user message, the documents are sent in a separate content before all others.
    let mut messages = round;
    messages[0] = json!({"role": "system", "content": [{"text": "s"}]});
    let sent = body("x", json!({"messages": messages, "docs": docs}));
    assert_eq!(sent["contents"][0]["role"], "user");
    assert!(sent["contents"][0]["parts"][0]["text"].as_str().unwrap().contains("324 m"));
    assert_eq!(sent["contents"].as_array().unwrap().len(), 3);
}

#[test]
fn one_tool_is_chosen_by_the_name_that_is_sent() {
    let tools = json!([{"name": "a/b"}, {"name": "now"}]);
    let choice = |chosen: Value| {
        let mut request = json!({"messages": [], "tools": tools, "toolChoice": "required"});
        request["toolChoiceName"] = chosen;
        body("x", request)["toolConfig"]["functionCallingConfig"].clone()
    };
    assert_eq!(choice(json!("a/b")), json!({"mode": "ANY", "allowedFunctionNames": ["a__b"]}));
    assert_eq!(choice(Value::Null), json!({"mode": "ANY"}));
}

#[test]
fn older_schemas_leave_empty_objects_out() {
    let mut request = request_of(vec![]);
    let empty = json!({"type": "object", "properties": {}, "additionalProperties": false});
    request.tools.push(ToolDefinition::new("t", "").with_input_schema(empty));
    let settings = GeminiSettings { openapi: true, ..settings() };
    let call = encode_request(&settings, "x", &request, Method::Generate).unwrap();
    let body: Value = serde_json::from_slice(&call.body).unwrap();
    assert_eq!(body["tools"], json!([{"functionDeclarations": [{"name": "t"}]}]));
}
