//! Schemas of what Genkit itself defines: requests to models, options of a run, resources.

use serde_json::{Value, json};

/// Messages, as far as a form needs to know them.
fn messages() -> Value {
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

/// What a model is asked.
pub(super) fn model_request() -> Value {
    json!({
        "type": "object",
        "properties": {
            "messages": messages(),
            "config": {"type": "object"},
            "tools": {"type": "array", "items": {"type": "object"}},
            "toolChoice": {"type": "string", "enum": ["auto", "required", "none"]},
            "output": {"type": "object"},
            "docs": {"type": "array", "items": {"type": "object"}},
        },
        "required": ["messages"],
    })
}

/// What a model answers, and a run.
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

/// The options of a run as data.
pub(super) fn generate_options() -> Value {
    json!({
        "type": "object",
        "properties": {
            "model": {"type": "string"},
            "messages": messages(),
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

/// A data set that an evaluator judges.
pub(super) fn evaluator_input() -> Value {
    let dataset = json!({"type": "array", "items": {"type": "object"}});
    let properties = json!({"dataset": dataset, "evalRunId": {"type": "string"}});
    json!({"type": "object", "properties": properties, "required": ["dataset"]})
}

/// A tool's answer with the content beside its value.
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
