//! Structured output.

use genkit::serde_json::{Value, json};

use super::{request, shown, weather};
use crate::answer;
use genkit::message::{ToolRequest, ToolResponse};
use genkit::model::ModelRequest;
use genkit::{Message, Part, Role};

fn asked(request: &mut ModelRequest, format: &str, schema: Value) -> String {
    request.output.format = Some(format.to_owned());
    request.output.schema = Some(schema.into());
    shown(&answer(request))
}

fn form(prompt: &str, format: &str, schema: Value) -> String {
    asked(&mut request(prompt, &[]), format, schema)
}

#[test]
fn forms_are_filled_out_of_the_prompt() {
    let person = json!({
        "type": "object",
        "properties": {
            "name": {"type": "string"}, "age": {"type": "integer"}, "admin": {"type": "boolean"},
            "city": {"type": ["string", "null"]}, "email": {"type": "string"},
            "hobbies": {"type": "array", "items": {"type": "string"}},
            "level": {"enum": ["low", "high"]}, "home": {"$ref": "#/$defs/Home"},
            "size": {"type": "number", "minimum": 3},
        },
        "required": ["name", "age", "admin", "city", "hobbies", "level", "home", "size"],
        "$defs": {"Home": {
            "type": "object", "properties": {"zip": {"type": "string"}}, "required": ["zip"],
        }},
    });
    assert_eq!(
        form("My name is Bob Smith, age 41, high level, zip: 21201.", "json", person.clone()),
        r#"{"name":"Bob Smith","age":41,"admin":false,"city":null,"hobbies":[],"level":"high","home":{"zip":"21201"},"size":3}"#
    );
    assert_eq!(
        form("", "json", person),
        r#"{"name":"","age":0,"admin":false,"city":null,"hobbies":[],"level":"low","home":{"zip":""},"size":3}"#
    );
}

#[test]
fn formats_have_their_text() {
    let colours = json!({"type": "string", "enum": ["red", "blue"]});
    assert_eq!(form("the sky is blue", "enum", colours.clone()), "blue");
    assert_eq!(form("the sky is blue", "json", colours.clone()), "\"blue\"");
    let list = json!({"type": "array", "items": colours});
    assert_eq!(form("blue or red", "array", list), r#"["blue","red"]"#);
    let rows = json!({"type": "array", "items": {"type": "integer"}});
    assert_eq!(form("4 and 2", "jsonl", rows), "4\n2\n");
    let answer = json!({
        "type": "object", "properties": {"answer": {"type": "string"}}, "required": ["answer"],
    });
    assert_eq!(form("What is the capital of France?", "json", answer.clone()), r#"{"answer":""}"#);
    assert!(form("hi", "text", answer).starts_with("I am"));
}

#[test]
fn json_without_a_schema_is_json() {
    let mut request = request("hi", &[]);
    request.output.format = Some("json".to_owned());
    assert!(shown(&answer(&request)).starts_with("{\"answer\":\"I am"));
}

#[test]
fn results_go_into_forms() {
    let told = |output: Value, schema: Value| {
        let call = ToolRequest::new("get_weather", json!({"city": "Rome"}));
        let mut request = request("What is the weather in Rome?", &[weather()]);
        request.messages.push(Message::model(call));
        let result = ToolResponse::new("get_weather", output);
        request.messages.push(Message::new(Role::Tool, [Part::from(result)]));
        asked(&mut request, "json", schema)
    };
    let text = json!({"type": "string"});
    let report = json!({
        "type": "object",
        "properties": {"city": text, "temperature": {"type": "number"}, "summary": text},
        "required": ["city", "temperature", "summary"],
    });
    assert_eq!(
        told(json!("sunny"), report.clone()),
        r#"{"city":"Rome","temperature":0,"summary":"sunny"}"#
    );
    assert_eq!(
        told(json!({"temperature": 21, "city": 3}), report.clone()),
        r#"{"city":"Rome","temperature":21,"summary":"`get_weather` returned temperature: 21, city: 3."}"#
    );
    let whole = json!({"city": "Roma", "temperature": 2.5, "summary": "ok"});
    assert_eq!(told(whole.clone(), report), whole.to_string());
    assert_eq!(told(json!(7), json!({"type": "integer"})), "7");
    assert_eq!(
        told(json!([1, 2]), json!({"type": "array", "items": {"type": "integer"}})),
        "[1,2]"
    );
}

#[test]
fn tools_come_before_forms() {
    let schema = json!({"type": "object", "properties": {}});
    let mut prompt = request("weather in Rome", &[weather()]);
    assert_eq!(asked(&mut prompt, "json", schema.clone()), r#"get_weather {"city":"Rome"}"#);
    // An argument of the tool is missing, so the schema is filled instead.
    assert_eq!(asked(&mut request("weather", &[weather()]), "json", schema), "{}");
}

#[test]
fn output_instructions_of_the_library_are_ignored() {
    let schema = json!({
        "type": "object", "properties": {"city": {"type": "string"}}, "required": ["city"],
    });
    let added = Part::text("Output in \"JSON\" for Rome").with_metadata("purpose", "output");
    let mut request = ModelRequest::new([Message::user("go to Oslo").with(added)]);
    assert_eq!(asked(&mut request, "json", schema), r#"{"city":"Oslo"}"#);
}
