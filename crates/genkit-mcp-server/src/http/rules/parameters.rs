//! Tool arguments that are repeated in headers (`x-mcp-header` in the schema).

use serde_json::{Map, Value};

/// The maximum number of arguments of a tool that are repeated in headers. Default is 64;
/// additional arguments are ignored.
const MAX_PARAMETERS: usize = 64;

/// The maximum depth of such an argument. Default is 16.
const MAX_DEPTH: usize = 16;

/// An argument that is repeated in a header.
#[derive(Debug, PartialEq)]
pub(in super::super) struct HeaderParameter {
    /// The property names on the path to the argument.
    pub(super) path: Vec<String>,
    /// The complete name of the header.
    pub(super) header: String,
}

/// Returns the arguments that clients repeat in headers, according to a schema.
pub(in super::super) fn header_parameters(schema: &Map<String, Value>) -> Vec<HeaderParameter> {
    let mut found = Vec::new();
    collect_parameters(schema.get("properties"), &mut Vec::new(), &mut found);
    found
}

fn collect_parameters(
    properties: Option<&Value>,
    path: &mut Vec<String>,
    found: &mut Vec<HeaderParameter>,
) {
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
        collect_parameters(schema.get("properties"), path, found);
        path.pop();
    }
}
