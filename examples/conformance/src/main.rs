//! The server fixtures of the MCP conformance suite, as ordinary annotated functions.
//!
//! `cargo run -p conformance` serves on stdio, `cargo run -p conformance -- --http 127.0.0.1:8000`
//! over streamable HTTP at `/mcp`.

mod content;
mod notifications;
mod prompts;
mod questions;
mod resources;
mod tasks;

use genkit::serde_json::{Value, json};
use genkit::{Context, Registry, Result, Tool};

genkit::skills!("skills");

#[tokio::main]
async fn main() -> Result<()> {
    genkit::log_to_stderr();
    Registry::global().insert(schema_tool())?;
    genkit::serve_mcp()
        .name("conformance")
        .version(env!("CARGO_PKG_VERSION"))
        .instructions("Fixtures of the MCP conformance suite.")
        .cli()
        .await
}

/// Creates a tool with a hand-written schema that uses features of JSON Schema 2020-12.
fn schema_tool() -> Tool {
    Tool::builder("json_schema_2020_12_tool", "Tool with JSON Schema 2020-12 features")
        .input_schema(json!({
            "$schema": "https://json-schema.org/draft/2020-12/schema",
            "type": "object",
            "$defs": {
                "address": {
                    "$anchor": "addressDef",
                    "type": "object",
                    "properties": { "street": { "type": "string" }, "city": { "type": "string" } }
                }
            },
            "properties": {
                "name": { "type": "string" },
                "address": { "$ref": "#/$defs/address" },
                "contactMethod": { "type": "string", "enum": ["phone", "email"] },
                "phone": { "type": "string" },
                "email": { "type": "string" }
            },
            "allOf": [{ "anyOf": [{ "required": ["phone"] }, { "required": ["email"] }] }],
            "if": { "properties": { "contactMethod": { "const": "phone" } }, "required": ["contactMethod"] },
            "then": { "required": ["phone"] },
            "else": { "required": ["email"] },
            "additionalProperties": false
        }))
        .handler(|_: Context, input: Value| async move { Ok(format!("received {input}")) })
}
