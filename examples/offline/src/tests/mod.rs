//! Tests of the model, one request at a time.

mod calls;
mod forms;
mod hostile;
mod loops;

use genkit::serde_json::{Value, json};

use crate::answer;

use genkit::model::{ModelRequest, ModelResponse, ToolDefinition};
use genkit::{Message, Part};

/// Creates a request with `prompt` and these tools.
fn request(prompt: &str, tools: &[ToolDefinition]) -> ModelRequest {
    let mut request = ModelRequest::new([Message::user(prompt)]);
    request.tools = tools.to_vec();
    request
}

/// Returns the calls of a response, one per line, or its text.
fn shown(response: &ModelResponse) -> String {
    let message = response.message.as_ref().expect("every answer has a message");
    let line = |part: &Part| match part.as_tool_request() {
        Some(call) => format!("{} {}", call.name, call.input),
        None => part.as_text().expect("only text and calls").to_owned(),
    };
    message.content.iter().map(line).collect::<Vec<_>>().join("\n")
}

fn ask(prompt: &str, tools: &[ToolDefinition]) -> String {
    shown(&answer(&request(prompt, tools)))
}

fn tool(name: &str, description: &str, properties: Value, required: Value) -> ToolDefinition {
    let schema = json!({"type": "object", "properties": properties, "required": required});
    ToolDefinition::new(name, description).with_input_schema(schema)
}

fn weather() -> ToolDefinition {
    let unit = json!({"anyOf": [{"$ref": "#/$defs/Unit"}, {"type": "null"}], "default": null});
    ToolDefinition::new("get_weather", "Gets the current weather in a city.").with_input_schema(
        json!({
            "type": "object",
            "properties": {
                "city": {"type": "string", "description": "The city. Any language."},
                "unit": unit,
            },
            "required": ["city"],
            "$defs": {"Unit": {"type": "string", "enum": ["celsius", "fahrenheit"]}},
        }),
    )
}

fn add() -> ToolDefinition {
    let number = json!({"type": "integer", "format": "int64"});
    tool("add", "Adds two numbers.", json!({"a": number, "b": number}), json!(["a", "b"]))
}

fn notes() -> Vec<ToolDefinition> {
    let text = json!({"type": "string"});
    let tags = json!({"type": "array", "items": {"type": "string"}});
    let id = json!({"type": "integer", "minimum": 1});
    vec![
        tool("add_note", "Adds a note.", json!({"text": text, "tags": tags}), json!(["text"])),
        tool("list_notes", "Lists all notes.", json!({}), json!([])),
        tool("search_notes", "Finds notes.", json!({"query": text}), json!(["query"])),
        tool("delete_note", "Removes a note by its number.", json!({"id": id}), json!(["id"])),
    ]
}
