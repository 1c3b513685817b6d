//! A view of a JSON Schema with resolved references and nullability.

use genkit::serde_json::{Map, Value};

/// The maximum depth of a schema, and the maximum number of members of each list in it.
const MAX_DEPTH: usize = 24;
const MAX_MEMBERS: usize = 128;

/// A schema and the schemas that it references.
pub(crate) struct Field<'s> {
    layers: Vec<&'s Map<String, Value>>,
    /// The values of an enum.
    pub(crate) values: Vec<&'s Value>,
    pub(crate) is_nullable: bool,
}

impl<'s> Field<'s> {
    /// Reads `schema` and resolves its references in `root`. If there are alternatives, the first is used.
    pub(crate) fn of(schema: &'s Value, root: &'s Value) -> Self {
        let (mut layers, mut values, mut is_nullable) = (Vec::new(), Vec::new(), false);
        let mut todo = vec![schema];
        while let Some(layer) = todo.pop().and_then(Value::as_object) {
            let all = |key: &str| {
                layer.get(key).and_then(Value::as_array).into_iter().flatten().take(MAX_MEMBERS)
            };
            let branches = || all("anyOf").chain(all("oneOf"));
            let is_null = |branch: &Value| branch.get("type").is_some_and(|kind| kind == "null");
            is_nullable |= all("type").any(|kind| kind == "null") || branches().any(is_null);
            values.extend(layer.get("const").into_iter().chain(all("enum")));
            let constants = branches().filter_map(|branch| branch.get("const"));
            values.extend(constants);
            layers.push(layer);
            if layers.len() < MAX_DEPTH {
                let tagged = |branch: &&Value| branch.get("const").is_none() && !is_null(branch);
                let target = layer.get("$ref").and_then(Value::as_str);
                todo.extend(branches().find(tagged).into_iter().chain(all("allOf")));
                todo.extend(target.and_then(|target| root.pointer(target.strip_prefix('#')?)));
            }
        }
        is_nullable |= values.iter().any(|value| value.is_null());
        values.retain(|value| !value.is_null());
        Self { layers, values, is_nullable }
    }

    /// Returns the type of the value, or an empty string if any type is allowed.
    pub(crate) fn kind(&self) -> &'s str {
        let kind = self.get("type").unwrap_or(&Value::Null);
        let names = kind.as_array().map_or(std::slice::from_ref(kind), Vec::as_slice);
        let first = names.iter().filter_map(Value::as_str).find(|name| *name != "null");
        first.unwrap_or(if self.get("properties").is_some() { "object" } else { "" })
    }

    /// Returns the nearest value of a keyword.
    pub(crate) fn get(&self, key: &str) -> Option<&'s Value> {
        self.layers.iter().find_map(|layer| layer.get(key))
    }

    /// Returns the properties of an object: name, schema, and whether the property is required.
    pub(crate) fn properties(&self) -> Vec<(&'s str, &'s Value, bool)> {
        let lists = self.layers.iter().filter_map(|layer| layer.get("required")?.as_array());
        let required: Vec<&Value> = lists.flatten().take(MAX_MEMBERS).collect();
        let is_required = |name: &str| required.iter().any(|known| *known == name);
        let objects = self.layers.iter().filter_map(|layer| layer.get("properties")?.as_object());
        let known = objects.flatten().take(MAX_MEMBERS);
        known.map(|(name, schema)| (name.as_str(), schema, is_required(name))).collect()
    }

    /// Returns whether a value matches the type and the bounds. The fields of an object are not checked.
    pub(crate) fn fits(&self, value: &Value, root: &'s Value) -> bool {
        let bound = |key: &str| self.get(key).and_then(Value::as_f64);
        let number = value.as_f64().filter(|number| {
            bound("minimum").is_none_or(|least| *number >= least)
                && bound("maximum").is_none_or(|most| *number <= most)
        });
        let items = self.get("items").unwrap_or(&Value::Null);
        match (self.kind(), value) {
            _ if !self.values.is_empty() => self.values.contains(&value),
            ("integer", _) => number.is_some_and(|number| number.fract() == 0.0),
            ("number", _) => number.is_some(),
            ("array", Value::Array(all)) => {
                all.iter().all(|item| Self::of(items, root).fits(item, root))
            }
            ("boolean", Value::Bool(_)) | ("object", Value::Object(_)) => true,
            ("string", Value::String(_)) => true,
            (kind, _) => kind.is_empty(),
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use genkit::serde_json::json;

    fn kind(schema: &Value) -> String {
        let field = Field::of(schema, schema);
        let values: Vec<_> = field.values.iter().map(ToString::to_string).collect();
        let kind = if values.is_empty() { field.kind().to_owned() } else { values.join("|") };
        if field.is_nullable { format!("{kind}?") } else { kind }
    }

    #[test]
    fn schemas_have_a_kind() {
        for (schema, wanted) in [
            (json!(true), ""),
            (json!(7), ""),
            (json!({"type": ["string", "null"]}), "string?"),
            (
                json!({"anyOf": [{"$ref": "#/$defs/U"}, {"type": "null"}], "$defs": {"U": {"enum": ["a", "b"]}}}),
                "\"a\"|\"b\"?",
            ),
            (json!({"oneOf": [{"const": 1}, {"const": 2, "title": "two"}]}), "1|2"),
            (json!({"enum": ["a", null]}), "\"a\"?"),
            (json!({"anyOf": [{"type": "string"}, {"type": "integer"}]}), "string"),
            (
                json!({"allOf": [{"$ref": "#/$defs/a"}], "$defs": {"a": {"type": "boolean"}}}),
                "boolean",
            ),
            (json!({"$ref": "#"}), ""),
            (
                json!({"$ref": "#/$defs/A", "$defs": {"A": {"$ref": "#/$defs/B"}, "B": {"$ref": "#/$defs/A"}}}),
                "",
            ),
            (json!({"$ref": "other.json"}), ""),
            (json!({"properties": {}}), "object"),
            (json!({"type": 3, "items": true}), ""),
            (json!({"type": "null"}), ""),
        ] {
            assert_eq!(kind(&schema), wanted, "{schema}");
        }
    }
}
