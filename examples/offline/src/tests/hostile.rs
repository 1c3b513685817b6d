//! Hostile schemas and prompts: responses are fast, and nothing panics.

use std::time::{Duration, Instant};

use genkit::serde_json::{Map, Value, json};

use super::{add, ask, notes, request, shown, tool, weather};
use crate::answer;
use genkit::message::{ToolRequest, ToolResponse};
use genkit::model::{ModelRequest, ToolChoice, ToolDefinition};
use genkit::{Message, Part, Role};

/// The time limit: long enough for a debug build on a busy machine.
const SOON: Duration = Duration::from_secs(10);

fn schemas() -> Vec<Value> {
    let cycle = json!({"type": "object", "properties": {"t": {"$ref": "#"}}, "required": ["t"]});
    let twice = json!({
        "type": "object", "properties": {"l": {"$ref": "#"}, "r": {"$ref": "#"}}, "required": ["l", "r"],
    });
    let maybe = json!({
        "type": "object", "properties": {"l": {"$ref": "#"}, "r": {"$ref": "#"}, "x": {"type": "string"}},
    });
    let lists = json!({"type": "array", "items": {"$ref": "#"}, "minItems": 1_000_000});
    let mut wide = Map::new();
    for at in 0..5000 {
        wide.insert(
            format!("property_{at}"),
            json!({"type": "string", "enum": ["a b", "c d", "x 1"]}),
        );
    }
    let wide =
        json!({"type": "object", "required": wide.keys().collect::<Vec<_>>(), "properties": wide});
    let many: Vec<Value> = (0..5000).map(|at| json!(format!("x {at}"))).collect();
    vec![
        json!(true),
        json!(false),
        json!(null),
        json!(3),
        json!("x"),
        json!([]),
        json!({}),
        json!({"type": "object"}),
        json!({"type": "object", "required": ["x", 3]}),
        json!({"type": "object", "properties": 4, "required": 5}),
        json!({"type": "object", "properties": {"": true, "é": false, "a b": 3}, "required": ["", "a b"]}),
        json!({"$ref": "#"}),
        json!({"$ref": "#/nowhere"}),
        json!({"$ref": "http://x"}),
        json!({"$ref": "#/%é"}),
        json!({"anyOf": [{"$ref": "#"}, {"$ref": "#"}]}),
        json!({"allOf": [{"$ref": "#"}, {"$ref": "#"}]}),
        json!({"oneOf": [{"type": "array", "items": {"$ref": "#"}}, {"type": "object", "properties": {"x": {"$ref": "#"}}, "required": ["x"]}]}),
        json!({"enum": []}),
        json!({"enum": [null]}),
        json!({"anyOf": []}),
        json!({"type": []}),
        json!({"type": "array"}),
        json!({"type": "array", "prefixItems": [{"$ref": "#"}, true]}),
        json!({"type": "integer", "minimum": 5, "maximum": 1}),
        json!({"type": "number", "exclusiveMinimum": i64::MAX}),
        json!({"type": "string", "minLength": u64::MAX, "format": 3}),
        json!({"type": "array", "items": {"enum": many}}),
        cycle,
        twice,
        maybe,
        lists,
        wide,
    ]
}

fn prompts() -> Vec<String> {
    vec![
        String::new(),
        "x".to_owned(),
        "do x 1, é: \"ü\" 'a' \u{202e}Ünï Cödé 𝟛 9e9999 -- 1.2.3 :// @ 5".to_owned(),
        "'".repeat(70_000),
        "“a ".repeat(30_000),
        "X ".repeat(70_000),
        "do 1 ".repeat(30_000),
        "x and ".repeat(30_000),
        "in Aa, ".repeat(30_000),
        "do x: ".repeat(20_000),
        "é".repeat(70_000),
        "ab@c.d ".repeat(20_000),
    ]
}

#[test]
fn hostile_schemas_end_soon() {
    let prompts = prompts();
    for schema in schemas() {
        // Small schemas need only a few of the prompts.
        let small = schema.to_string().len() < 100;
        for prompt in prompts.iter().take(if small { 3 } else { prompts.len() }) {
            let start = Instant::now();
            let tool = ToolDefinition::new("do", "x").with_input_schema(schema.clone());
            let mut request = request(prompt, &[tool]);
            request.tool_choice = Some(ToolChoice::Required);
            let called = shown(&answer(&request));
            assert!(!called.is_empty());
            request.tools.clear();
            request.output.schema = Some(schema.clone().into());
            let form = shown(&answer(&request));
            assert!(genkit::serde_json::from_str::<Value>(&form).is_ok(), "{form}");
            let took = start.elapsed();
            let prompt: String = prompt.chars().take(20).collect();
            assert!(took < SOON, "{took:?} for {prompt:?} and {schema}");
        }
    }
}

proptest::proptest! {
    #[test]
    fn any_prompt_is_answered(
        odd in proptest::prelude::any::<String>(),
        plain in "(?s)[ a-cA-C0-9'\"“’.,:;=\\-+\n@/é#]{0,60}",
    ) {
        let (weather, add) = (weather(), add());
        let schema = weather.input_schema().unwrap().clone();
        let mut tools = notes();
        tools.extend([weather, add]);
        for prompt in [odd.clone(), plain.clone(), format!("add a note {plain} weather in {odd}")] {
            let mut request = request(&prompt, &tools);
            request.tool_choice = Some(ToolChoice::Required);
            answer(&request);
            request.tools.clear();
            request.output.schema = Some(schema.clone().into());
            let form = shown(&answer(&request));
            proptest::prop_assert!(genkit::serde_json::from_str::<Value>(&form).is_ok());
        }
    }
}

#[test]
fn tool_with_an_empty_schema_is_called() {
    for (schema, wanted) in [
        (json!({"type": "object"}), "do {}"),
        (json!({"type": "string"}), r#"do "it""#),
        (json!({"type": "object", "required": ["x"]}), "do {}"),
        (
            json!({"type": "object", "properties": {"n": {"$ref": "#"}}, "required": ["n"]}),
            "`do` needs `n.n.n…",
        ),
    ] {
        let found = ask("do 'it'", &[ToolDefinition::new("do", "").with_input_schema(schema)]);
        let wanted = wanted.trim_end_matches('…');
        assert!(found.starts_with(wanted), "{found}");
    }
    assert_eq!(ask("do it", &[ToolDefinition::new("do", "")]), "do {}");
}

#[test]
fn odd_conversations_are_answered() {
    let no_messages = ModelRequest::new([]);
    assert!(shown(&answer(&no_messages)).starts_with("I am"));
    let model_last = ModelRequest::new([Message::user("hi"), Message::model("hello")]);
    assert!(shown(&answer(&model_last)).starts_with("I am"));
    let only_tools = Message::new(Role::Tool, [Part::from(ToolResponse::new("t", "ok"))]);
    assert_eq!(shown(&answer(&ModelRequest::new([only_tools]))), "ok");
    let no_results = ModelRequest::new([Message::user("hi"), Message::new(Role::Tool, [])]);
    assert!(shown(&answer(&no_results)).starts_with("I am"));
    let image = ModelRequest::new([Message::user(Part::image("image/png", [1]))]);
    assert!(shown(&answer(&image)).starts_with("I am"));
}

#[test]
fn calls_are_few() {
    let many: Vec<_> =
        (0..1000).map(|at| tool(&format!("t{at}"), "", json!({}), json!([]))).collect();
    let mut request = request("t1 t2 t3 t4 t5 t6 t7 t8 t9 t10", &many);
    for round in 0..20 {
        let response = answer(&request);
        let message = response.message.unwrap();
        let calls: Vec<ToolRequest> = message.tool_requests().cloned().collect();
        if calls.is_empty() {
            assert_eq!(round, 8);
            return;
        }
        request.messages.push(message);
        let answers = calls.iter().map(|call| Part::from(call.respond("ok")));
        request.messages.push(Message::new(Role::Tool, answers));
    }
    panic!("never ends");
}
