//! Arguments of a tool that stand in headers, too (`x-mcp-header` in its schema).

use serde_json::{Map, Value};

/// How many arguments of a tool may stand in headers. Default is 64; the others are not looked at.
const MAX_PARAMETERS: usize = 64;

/// How deep in the arguments one may be. Default is 16.
const MAX_DEPTH: usize = 16;

/// One argument that stands in a header.
#[derive(Debug, PartialEq)]
pub(in super::super) struct HeaderParameter {
    /// The names of the properties that lead to it.
    pub(super) path: Vec<String>,
    /// The whole name of the header.
    pub(super) header: String,
}

/// The arguments that a schema puts into headers.
pub(in super::super) fn parameters(schema: &Map<String, Value>) -> Vec<HeaderParameter> {
    let mut found = Vec::new();
    collect(schema.get("properties"), &mut Vec::new(), &mut found);
    found
}

fn collect(properties: Option<&Value>, path: &mut Vec<String>, found: &mut Vec<HeaderParameter>) {
    let Some(Value::Object(properties)) = properties else { return };
    if path.len() >= MAX_DEPTH {
        return;
    }
    for (name, schema) in properties {
        path.push(name.clone());
        if let Some(Value::String(header)) = schema.get("x-mcp-header")
            && !header.is_empty()
            && found.len() < MAX_PARAMETERS
        {
            found.push(HeaderParameter {
                path: path.clone(),
                header: format!("mcp-param-{}", header.to_ascii_lowercase()),
            });
        }
        collect(schema.get("properties"), path, found);
        path.pop();
    }
}
