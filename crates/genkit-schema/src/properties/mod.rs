//! The properties of an object schema, for prompts and completion.

mod defaults;

use serde_json::{Map, Value};

pub(super) use defaults::{drop_blanks, fill_defaults};

/// One property of an object schema.
pub struct Property<'a> {
    pub name: &'a str,
    pub required: bool,
    schema: Option<&'a Map<String, Value>>,
}

/// Returns the properties of a portable object schema, in order.
pub fn properties(schema: &Value) -> impl Iterator<Item = Property<'_>> {
    let required = defaults::required_names(schema);
    let all = schema.get("properties").and_then(Value::as_object);
    all.into_iter().flatten().map(move |(name, schema)| Property {
        name,
        // A property with a default is optional, even if `required` contains it.
        required: schema.get("default").is_none() && required.contains(name.as_str()),
        schema: schema.as_object(),
    })
}

/// Returns the text that a user types for a value. Returns `None` for `null`, which is expressed by omitting the
/// argument.
fn typed_text(value: &Value) -> Option<String> {
    match value {
        Value::Null => None,
        Value::String(text) => Some(text.clone()),
        value => Some(value.to_string()),
    }
}

impl Property<'_> {
    /// Returns the only type apart from null.
    fn kind(&self) -> Option<&str> {
        match self.schema?.get("type")? {
            Value::String(kind) => Some(kind),
            Value::Array(kinds) => {
                let mut kinds = kinds.iter().filter_map(Value::as_str).filter(|k| *k != "null");
                kinds.next().filter(|_| kinds.next().is_none())
            }
            _ => None,
        }
    }

    /// Returns the listed values: the values of an enumeration, or `true` and `false`.
    pub fn values(&self) -> Vec<String> {
        if self.kind() == Some("boolean") {
            return vec!["true".to_owned(), "false".to_owned()];
        }
        let listed = self.schema.and_then(|s| s.get("enum")).and_then(Value::as_array);
        listed.into_iter().flatten().filter_map(typed_text).collect()
    }

    /// Returns the description, with the expected format of the text if it is not obvious.
    pub fn described(&self) -> Option<String> {
        let description = self.schema.and_then(|s| s.get("description")).and_then(Value::as_str);
        let values = self.values();
        let form = match self.kind() {
            _ if !values.is_empty() => Some(format!("one of: {}", values.join(", "))),
            Some("integer") => Some("a whole number".to_owned()),
            Some("number") => Some("a number".to_owned()),
            Some("array") => Some("a JSON list".to_owned()),
            Some("object") => Some("a JSON object".to_owned()),
            _ => None,
        };
        match (description, form) {
            (Some(text), Some(form)) => Some(format!("{text} ({form})")),
            (Some(text), None) => Some(text.to_owned()),
            (None, form) => form,
        }
    }
}
