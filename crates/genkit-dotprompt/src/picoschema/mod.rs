//! Picoschema: a compact notation for JSON Schema in YAML.

mod field;
mod type_names;

use serde_json::{Map, Value, json};

use crate::error::Error;
use crate::error_kind::ErrorKind;
use field::{Named, SchemaError};

/// Converts Picoschema to JSON Schema. JSON Schema is returned unchanged, except that a schema with `properties` and
/// without a valid `type` gets `type: object`; `null` and `""` result in `null`, which means no schema. `named` returns
/// the schemas that are known by name.
///
/// ```
/// use genkit_dotprompt::picoschema;
/// use serde_json::json;
///
/// let schema = picoschema(&json!({"city": "string, where to", "days?": "integer"}), &|_| None)?;
/// assert_eq!(
///     schema,
///     json!({
///         "type": "object",
///         "properties": {
///             "city": {"type": "string", "description": "where to"},
///             "days": {"type": ["integer", "null"]},
///         },
///         "required": ["city"],
///         "additionalProperties": false,
///     }),
/// );
/// # Ok::<(), genkit_dotprompt::Error>(())
/// ```
///
/// # Errors
/// Returns an error for a type that is neither a type of Picoschema nor a name known to `named`; for a number, a
/// boolean or a list instead of a type; and for a kind in parentheses other than `array`, `object` or `enum`.
pub fn picoschema(value: &Value, named: &dyn Fn(&str) -> Option<Value>) -> Result<Value, Error> {
    expand_picoschema(value, named).map_err(|(fault, _)| Error::new(fault))
}

pub(crate) fn expand_picoschema(value: &Value, named: Named<'_>) -> Result<Value, SchemaError> {
    match value {
        Value::Null => Ok(Value::Null),
        Value::String(text) if text.is_empty() => Ok(Value::Null),
        Value::String(text) => field::expand_text(text, named).map_err(|fault| (fault, Vec::new())),
        Value::Object(map) => expand_map(map, named),
        other => Err((ErrorKind::InvalidSchema(type_names::value_kind(other)), Vec::new())),
    }
}

fn expand_map(map: &Map<String, Value>, named: Named<'_>) -> Result<Value, SchemaError> {
    if is_json_schema(map) {
        return Ok(Value::Object(map.clone()));
    }
    if map.get("properties").is_some_and(Value::is_object) {
        let mut map = map.clone();
        map.insert("type".to_owned(), json!("object"));
        return Ok(Value::Object(map));
    }
    field::expand_fields(map, named, 0).map_err(|(fault, path)| {
        let key = path.last().cloned().unwrap_or_default();
        match type_names::is_keyword(&key) && path.len() == 1 {
            true => {
                (ErrorKind::JsonSchemaWithoutType { keyword: key, fault: Box::new(fault) }, path)
            }
            false => (fault, path),
        }
    })
}

/// Returns whether the value of `type` is exactly the name of a type.
fn is_json_schema(map: &Map<String, Value>) -> bool {
    let kind = map.get("type").and_then(Value::as_str);
    kind.is_some_and(|kind| {
        type_names::SCALARS.contains(&kind) || matches!(kind, "object" | "array")
    })
}

/// Returns a key that looks like Picoschema, in a schema that is read as JSON Schema because of its field `type`.
pub(crate) fn looks_like_picoschema(value: &Value) -> Option<&str> {
    let map = value.as_object().filter(|map| is_json_schema(map))?;
    let suspect = |(key, value): &(&String, &Value)| {
        if type_names::is_keyword(key) {
            return false;
        }
        let text = value.as_str().and_then(|text| text.split(',').next());
        key.ends_with(['?', ')']) || text.is_some_and(|word| type_names::SCALARS.contains(&word))
    };
    map.iter().find(suspect).map(|(key, _)| key.as_str())
}
