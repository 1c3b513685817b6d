//! A portable schema under construction.

use serde_json::{Map, Value};

use super::keywords;

/// All JSON types. `number` includes integers.
const EVERY_TYPE: [&str; 6] = ["string", "number", "object", "array", "boolean", "null"];

/// The treatment of null at the position of a schema.
#[derive(Clone, Copy, PartialEq, Eq)]
pub(super) enum Null {
    /// Omitting the value has the same meaning as null.
    Omitted,
    /// Omitting the value does not have the same meaning as null.
    Needed,
}

/// A portable schema under construction.
#[derive(Default)]
pub(super) struct Draft {
    /// Keywords that describe the value.
    pub annotations: Map<String, Value>,
    /// Keywords that constrain the value.
    pub assertions: Map<String, Value>,
    /// Text for the description, about parts that no keyword expresses.
    pub remarks: Vec<String>,
    pub nullable: bool,
    pub never: bool,
}

impl Draft {
    /// Adds the type. If it is missing, infers it from the other keywords.
    pub(super) fn set_type(&mut self, types: Vec<&str>) {
        match types[..] {
            [] if self.assertions.contains_key("type") => {}
            [] => {
                let mut spoken_of =
                    self.assertions.keys().filter_map(|key| keywords::applicable_type(key));
                match spoken_of.next() {
                    Some(first) if spoken_of.all(|other| other == first) => {
                        self.assertions.insert("type".to_owned(), first.into());
                    }
                    Some(_) => self.split_types(&EVERY_TYPE),
                    None => {}
                }
            }
            [only] => {
                self.assertions.insert("type".to_owned(), only.into());
            }
            _ => self.split_types(&types),
        }
        if self.assertions.get("type").is_some_and(|only| only == "array") {
            // Several providers reject an array without `items`.
            self.assertions.entry("items").or_insert_with(|| Value::Object(Map::new()));
        }
    }

    /// Converts a schema with several types into one schema for each type.
    fn split_types(&mut self, types: &[&str]) {
        let all = std::mem::take(&mut self.assertions);
        let mut branches: Vec<_> = types
            .iter()
            .map(|name| Map::from_iter([("type".to_owned(), Value::from(*name))]))
            .collect();
        for (key, value) in all {
            let Some(speaks_of) = keywords::applicable_type(&key) else {
                self.assertions.insert(key, value);
                continue;
            };
            for (branch, name) in branches.iter_mut().zip(types) {
                if *name == speaks_of || (*name == "integer" && speaks_of == "number") {
                    branch.insert(key.clone(), value.clone());
                }
            }
        }
        // The values of an `enum` already imply the types.
        if !self.assertions.contains_key("enum") {
            self.add_union(branches.into_iter().map(Value::Object).collect());
        }
    }

    /// Adds a choice to the existing assertions.
    pub(super) fn add_union(&mut self, branches: Vec<Value>) {
        if !self.assertions.contains_key("anyOf") {
            self.assertions.insert("anyOf".to_owned(), Value::Array(branches));
            return;
        }
        self.add_all(Value::Object(Map::from_iter([("anyOf".to_owned(), Value::Array(branches))])));
    }

    /// Adds a schema that must also match.
    pub(super) fn add_all(&mut self, schema: Value) {
        let all = self.assertions.entry("allOf").or_insert_with(|| Value::Array(Vec::new()));
        if let Value::Array(all) = all {
            all.push(schema);
        }
    }

    /// Returns the schema.
    pub(super) fn into_schema(mut self, null: Null) -> Value {
        if self.never && !self.nullable {
            return never_schema();
        }
        if self.never {
            self.assertions = Map::from_iter([("type".to_owned(), "null".into())]);
            self.nullable = false;
        }
        if !self.remarks.is_empty() {
            let before =
                self.annotations.get("description").and_then(Value::as_str).map(str::to_owned);
            let paragraphs: Vec<_> = before.into_iter().chain(self.remarks).collect();
            self.annotations.insert("description".to_owned(), paragraphs.join("\n\n").into());
        }
        let mut assertions = self.assertions;
        if self.nullable && null == Null::Needed && !assertions.is_empty() {
            assertions = or_null(assertions);
        }
        let mut schema = Map::new();
        // The type comes first if the map preserves order.
        if let Some(only) = assertions.get("type") {
            schema.insert("type".to_owned(), only.clone());
        }
        schema.extend(self.annotations);
        schema.extend(assertions);
        Value::Object(schema)
    }
}

/// Returns the schema that matches no value.
pub(super) fn never_schema() -> Value {
    Value::Object(Map::from_iter([("not".to_owned(), Value::Object(Map::new()))]))
}

fn or_null(limits: Map<String, Value>) -> Map<String, Value> {
    let null = Value::Object(Map::from_iter([("type".to_owned(), Value::from("null"))]));
    let mut branches = match limits.get("anyOf") {
        Some(Value::Array(branches)) if limits.len() == 1 => branches.clone(),
        _ => vec![Value::Object(limits)],
    };
    branches.push(null);
    Map::from_iter([("anyOf".to_owned(), Value::Array(branches))])
}
