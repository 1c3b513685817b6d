//! Rewriting of schemas with types.

use serde_json::{Map, Value, json};

use super::rewriter::{SubsetRewriter, kept_notes};
use genkit_schema::internal::dialect::{fixed_values, listed_types, tuple_items};
use genkit_schema::internal::{pointer, types_of};

impl SubsetRewriter<'_> {
    /// Rewrites a schema without references and choices.
    pub(super) fn rewrite_typed(
        &mut self,
        map: &Map<String, Value>,
        at: &str,
    ) -> Map<String, Value> {
        let mut subset = kept_notes(map);
        let values = fixed_values(map);
        let mut names = listed_types(map);
        if names.is_empty() {
            names = match &values {
                Some(values) => types_of(values),
                None if map.contains_key("properties") => vec!["object"],
                None if map.contains_key("items") => vec!["array"],
                None => Vec::new(),
            };
        }
        if names.len() > 1 && names.contains(&"null") {
            names.retain(|name| *name != "null");
            subset.insert("nullable".to_owned(), Value::Bool(true));
        }
        match names[..] {
            [] => {
                self.note_anything(at);
            }
            [only] => self.rewrite_single(only, map, values.as_deref(), at, &mut subset),
            ref several => {
                let branches = several.iter().filter_map(|name| {
                    let values = values.as_ref().map(|values| values_of_type(values, name));
                    if values.as_ref().is_some_and(Vec::is_empty) {
                        return None;
                    }
                    let mut branch = Map::new();
                    self.rewrite_single(name, map, values.as_deref(), at, &mut branch);
                    Some(Value::Object(branch))
                });
                let branches = branches.collect();
                subset.insert("anyOf".to_owned(), Value::Array(branches));
            }
        }
        self.note_unsupported(map, at);
        subset
    }

    /// Adds the keywords of one type.
    fn rewrite_single(
        &mut self,
        name: &str,
        map: &Map<String, Value>,
        values: Option<&[Value]>,
        at: &str,
        subset: &mut Map<String, Value>,
    ) {
        subset.insert("type".to_owned(), name.to_uppercase().into());
        let mut copy = |keys: &[&str], formats: &[&str]| {
            for key in keys {
                if let Some(value) = map.get(*key) {
                    subset.insert((*key).to_owned(), value.clone());
                }
            }
            let format = map.get("format").and_then(Value::as_str);
            if let Some(format) = format.filter(|format| formats.contains(format)) {
                subset.insert("format".to_owned(), format.into());
            }
        };
        match name {
            "string" => copy(&["minLength", "maxLength", "pattern"], &["date-time", "enum"]),
            "integer" => copy(&["minimum", "maximum"], &["int32", "int64"]),
            "number" => copy(&["minimum", "maximum"], &["float", "double"]),
            "array" => self.rewrite_items(map, at, subset),
            "object" => self.rewrite_object(map, at, subset),
            _ => {}
        }
        if let Some(values) = values {
            self.rewrite_values(name, values, map, at, subset);
        }
    }

    /// Adds fixed values: only strings can be listed, other values are added to the description.
    fn rewrite_values(
        &mut self,
        name: &str,
        values: &[Value],
        map: &Map<String, Value>,
        at: &str,
        subset: &mut Map<String, Value>,
    ) {
        let texts: Vec<Value> = values.iter().filter(|value| value.is_string()).cloned().collect();
        if values.iter().any(Value::is_null) && name != "null" {
            subset.insert("nullable".to_owned(), Value::Bool(true));
        }
        if name == "string" {
            subset.insert("enum".to_owned(), Value::Array(texts));
            return;
        }
        let listed: Vec<_> =
            values.iter().filter(|value| !value.is_null()).map(Value::to_string).collect();
        if listed.is_empty() {
            return;
        }
        let key = if map.contains_key("const") { "const" } else { "enum" };
        self.note_loss(
            pointer::child(at, key),
            "only strings can be listed as values; other values are added to the description",
            "use strings as values",
        );
        add_to_description(subset, &format!("One of {}.", listed.join(", ")));
    }

    fn rewrite_object(
        &mut self,
        map: &Map<String, Value>,
        at: &str,
        subset: &mut Map<String, Value>,
    ) {
        let at = pointer::child(at, "properties");
        let mut properties = Map::new();
        for (name, exact) in map.get("properties").and_then(Value::as_object).into_iter().flatten()
        {
            properties.insert(name.clone(), self.rewrite_schema(exact, &pointer::child(&at, name)));
        }
        // The API rejects a required name without a property.
        let required: Vec<_> = map
            .get("required")
            .and_then(Value::as_array)
            .into_iter()
            .flatten()
            .filter(|name| name.as_str().is_some_and(|name| properties.contains_key(name)))
            .cloned()
            .collect();
        for key in ["minProperties", "maxProperties"] {
            if let Some(value) = map.get(key) {
                subset.insert(key.to_owned(), value.clone());
            }
        }
        if properties.len() > 1 {
            // Without `propertyOrdering`, older models write the properties in alphabetical order.
            let names: Vec<_> = properties.keys().cloned().collect();
            subset.insert("propertyOrdering".to_owned(), names.into());
        }
        if !properties.is_empty() {
            subset.insert("properties".to_owned(), Value::Object(properties));
        }
        if !required.is_empty() {
            subset.insert("required".to_owned(), Value::Array(required));
        }
    }

    fn rewrite_items(
        &mut self,
        map: &Map<String, Value>,
        at: &str,
        subset: &mut Map<String, Value>,
    ) {
        for key in ["minItems", "maxItems"] {
            if let Some(value) = map.get(key) {
                subset.insert(key.to_owned(), value.clone());
            }
        }
        let Some(kinds) = tuple_items(map) else {
            let items = match map.get("items") {
                Some(exact) if exact.is_object() => {
                    self.rewrite_schema(exact, &pointer::child(at, "items"))
                }
                // The API rejects an array without items.
                _ => json!({}),
            };
            subset.insert("items".to_owned(), items);
            return;
        };
        let at = pointer::child(at, "prefixItems");
        let mut any: Vec<Value> = Vec::new();
        for (index, exact) in &kinds {
            let schema = self.rewrite_schema(exact, &pointer::element(&at, *index));
            if !any.contains(&schema) {
                any.push(schema);
            }
        }
        if any.len() > 1 {
            self.note_loss(
                at,
                "the order of the item types is lost",
                "use a struct with named fields",
            );
        }
        let items = match <[Value; 1]>::try_from(any) {
            Ok([only]) => only,
            Err(none) if none.is_empty() => json!({}),
            Err(any) => json!({ "anyOf": any }),
        };
        subset.insert("items".to_owned(), items);
    }

    /// Records the keywords that the subset does not support.
    fn note_unsupported(&mut self, map: &Map<String, Value>, at: &str) {
        const UNSAID: [&str; 15] = [
            "additionalProperties",
            "unevaluatedProperties",
            "patternProperties",
            "propertyNames",
            "not",
            "if",
            "contains",
            "dependentSchemas",
            "dependentRequired",
            "uniqueItems",
            "multipleOf",
            "exclusiveMinimum",
            "exclusiveMaximum",
            "oneOf",
            "anyOf",
        ];
        for key in UNSAID {
            // Properties that are not described are not sent anyway, so `false` loses nothing.
            if map.get(key).is_some_and(|value| *value != Value::Bool(false)) {
                let remedy = "check the constraint in the function, or use a model that supports JSON Schema";
                self.note_loss(
                    pointer::child(at, key),
                    format!("`{key}` has no equivalent in the subset"),
                    remedy,
                );
            }
        }
    }
}

/// Returns the values that have this type.
fn values_of_type(values: &[Value], name: &str) -> Vec<Value> {
    let is = |value: &&Value| match name {
        "number" => value.is_number(),
        name => types_of(std::slice::from_ref(*value)) == [name],
    };
    values.iter().filter(is).cloned().collect()
}

/// Appends to the description.
fn add_to_description(subset: &mut Map<String, Value>, what: &str) {
    let before = subset.get("description").and_then(Value::as_str);
    let both = before.map_or_else(|| what.to_owned(), |text| format!("{text}\n\n{what}"));
    subset.insert("description".to_owned(), both.into());
}
