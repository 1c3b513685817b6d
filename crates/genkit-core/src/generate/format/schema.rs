//! Output schemas: the schemas that a format accepts, and the instructions for the model.

use serde_json::Value;

use super::Format;
use crate::error::Result;
use crate::generate::error::Error as E;

/// Returns instructions for the model, identical to those of Genkit for other languages, including trailing whitespace.
/// Returns `None` if the format or the schema needs no instructions.
pub fn output_instructions(format: Format, schema: &Value) -> Option<String> {
    match format {
        Format::Text => None,
        Format::Json => Some(format!(
            "Output should be in JSON format and conform to the following schema:\n\n```\n{schema}\n```\n"
        )),
        Format::Array => Some(format!(
            "Output should be a JSON array conforming to the following schema:\n    \n```\n{schema}\n```\n    "
        )),
        Format::Enum => {
            let values = enum_values(schema)?;
            let word = |one: &Value| one.as_str().map_or_else(|| one.to_string(), str::to_owned);
            let values: Vec<_> = values.into_iter().map(word).collect();
            Some(format!(
                "Output should be ONLY one of the following enum values. Do not output any additional information or add quotes.\n\n{}",
                values.join("\n")
            ))
        }
        Format::Jsonl => {
            let items = with_definitions(schema.get("items")?, schema);
            Some(format!(
                "Output should be JSONL format, a sequence of JSON objects (one per line) separated by a newline `\\n` character. Each line should be a JSON object conforming to the following schema:\n\n```\n{items}\n```\n    "
            ))
        }
    }
}

/// Checks that a format accepts a schema.
pub fn check_schema(format: Format, schema: &Value) -> Result<()> {
    let lists_objects = || {
        let items = schema.get("items").filter(|_| is_type(schema, "array"));
        items.is_some_and(|items| is_object(items, schema))
    };
    let is_enum =
        || is_type(schema, "string") || is_type(schema, "enum") || enum_values(schema).is_some();
    let expected = match format {
        Format::Array if !is_type(schema, "array") => {
            "the schema of an array; for one object use the format `json`"
        }
        Format::Enum if !is_enum() => {
            "the schema of a string or an enum; for other values use the format `json`"
        }
        Format::Jsonl if !lists_objects() => {
            "the schema of an array of objects; for other items use the format `array`"
        }
        _ => return Ok(()),
    };
    Err(E::OutputSchema { format: format.as_str(), expected }.into())
}

fn is_type(schema: &Value, name: &str) -> bool {
    schema.get("type").is_some_and(|kind| kind == name)
}

/// Returns whether a schema describes an object, a reference to one, or a choice between objects.
fn is_object(schema: &Value, root: &Value) -> bool {
    if is_type(schema, "object") {
        return true;
    }
    if let Some(reference) = schema.get("$ref").and_then(Value::as_str) {
        let target = reference.strip_prefix('#').and_then(|pointer| root.pointer(pointer));
        // One step is sufficient: schemars does not generate references to references.
        return target.is_some_and(|target| is_type(target, "object") || chooses_objects(target));
    }
    chooses_objects(schema)
}

fn chooses_objects(schema: &Value) -> bool {
    let branches = schema.get("oneOf").or_else(|| schema.get("anyOf")).and_then(Value::as_array);
    branches.is_some_and(|all| !all.is_empty() && all.iter().all(|one| is_type(one, "object")))
}

/// Returns the values of an enum schema, including the form that schemars generates for values with descriptions.
fn enum_values(schema: &Value) -> Option<Vec<&Value>> {
    if let Some(listed) = schema.get("enum").and_then(Value::as_array) {
        return Some(listed.iter().collect());
    }
    if let Some(only) = schema.get("const") {
        return Some(vec![only]);
    }
    let branches = schema.get("oneOf").or_else(|| schema.get("anyOf"))?.as_array()?;
    let values: Option<Vec<_>> = branches.iter().map(enum_values).collect();
    Some(values?.concat())
}

/// Returns the schema of an item together with the definitions that it may refer to.
fn with_definitions(items: &Value, root: &Value) -> Value {
    let mut items = items.clone();
    if items.to_string().contains("\"$ref\"")
        && let Value::Object(items) = &mut items
    {
        for key in ["$defs", "definitions"] {
            items.extend(root.get(key).map(|definitions| (key.to_owned(), definitions.clone())));
        }
    }
    items
}
