//! The JSON schemas of Genkit's own actions: requests to models, options of runs, resources.

use serde_json::{Value, json};

/// Returns the schema of a list of messages, with the detail that the Developer UI requires to show a form.
fn message_list_schema() -> Value {
    json!({
        "type": "array",
        "items": {
            "type": "object",
            "properties": {
                "role": {"type": "string", "enum": ["system", "user", "model", "tool"]},
                "content": {"type": "array", "items": {"type": "object", "properties": {"text": {"type": "string"}}}},
            },
            "required": ["role", "content"],
        },
    })
}

/// Returns the schema of a request to a model.
pub(super) fn model_request() -> Value {
    json!({
        "type": "object",
        "properties": {
            "messages": message_list_schema(),
            "config": {"type": "object"},
            "tools": {"type": "array", "items": {"type": "object"}},
            "toolChoice": {"type": "string", "enum": ["auto", "required", "none"]},
            "output": {"type": "object"},
            "docs": {"type": "array", "items": {"type": "object"}},
        },
        "required": ["messages"],
    })
}

/// Returns the schema of the response from a model or a run.
pub(super) fn model_response() -> Value {
    json!({
        "type": "object",
        "properties": {
            "message": {"type": "object"},
            "finishReason": {"type": "string"},
            "finishMessage": {"type": "string"},
            "usage": {"type": "object"},
            "custom": {"type": "object"},
        },
    })
}

/// Returns the schema of the options of a run.
pub(super) fn generate_options() -> Value {
    json!({
        "type": "object",
        "properties": {
            "model": {"type": "string"},
            "messages": message_list_schema(),
            "docs": {"type": "array", "items": {"type": "object"}},
            "tools": {"type": "array", "items": {"type": "string"}},
            "resources": {"type": "array", "items": {"type": "string"}},
            "toolChoice": {"type": "string", "enum": ["auto", "required", "none"]},
            "config": {"type": "object"},
            "output": {"type": "object"},
            "resume": {"type": "object"},
            "returnToolRequests": {"type": "boolean"},
            "maxTurns": {"type": "integer"},
        },
        "required": ["messages"],
    })
}

pub(super) fn resource_input() -> Value {
    json!({"type": "object", "properties": {"uri": {"type": "string"}}, "required": ["uri"]})
}

pub(super) fn resource_output() -> Value {
    let content = json!({"type": "array", "items": {"type": "object"}});
    json!({"type": "object", "properties": {"content": content}, "required": ["content"]})
}

/// Returns the schema of a tool's output together with its content.
pub(super) fn multipart_output(value: Option<&Value>) -> Value {
    json!({
        "type": "object",
        "properties": {
            "output": value.cloned().unwrap_or_else(|| json!({})),
            "content": {"type": "array", "items": {"type": "object"}},
            "metadata": {"type": "object"},
        },
    })
}

pub(super) fn embedder_input() -> Value {
    let content = json!({"type": "array", "items": {"type": "object"}});
    let document = json!({"type": "object", "properties": {"content": content}});
    let properties =
        json!({"input": {"type": "array", "items": document}, "options": {"type": "object"}});
    json!({"type": "object", "properties": properties, "required": ["input"]})
}

pub(super) fn embedder_output() -> Value {
    let numbers = json!({"type": "array", "items": {"type": "number"}});
    let embedding = json!({"type": "object", "properties": {"embedding": numbers}});
    let properties = json!({"embeddings": {"type": "array", "items": embedding}});
    json!({"type": "object", "properties": properties, "required": ["embeddings"]})
}
