//! Strict schemas of OpenAI: each object is closed, and each of its properties is always there.

#[cfg(test)]
mod tests;

use std::borrow::Cow;

use serde_json::{Map, Value, json};

use crate::schema::dialect::{
    KeywordValue, choice, fixed_values, keyword_value, merged, resolve, tuple_items, types,
};
use crate::schema::{Dialect, MAX_DEPTH, Schema, pointer, types_of};

/// Keywords that are copied as they are.
const COPIED: [&str; 12] = [
    "title",
    "description",
    "enum",
    "const",
    "pattern",
    "multipleOf",
    "minimum",
    "maximum",
    "exclusiveMinimum",
    "exclusiveMaximum",
    "minItems",
    "maxItems",
];

/// How many schemas may be inside of a strict one. Default is 5,000: OpenAI takes as many properties.
const MAX_SCHEMAS: usize = 5_000;

/// Formats that are known; others are refused.
const FORMATS: [&str; 9] =
    ["date-time", "time", "date", "duration", "email", "hostname", "ipv4", "ipv6", "uuid"];

/// Keywords that limit what passes, hold schemas, and are not known.
const UNSAYABLE: [(&str, &str); 9] = [
    ("allOf", "several schemas at once"),
    ("not", "a negation"),
    ("if", "a condition"),
    ("patternProperties", "a map with free keys"),
    ("propertyNames", "a map with free keys"),
    ("contains", "a list that must contain something"),
    ("dependentSchemas", "properties that depend on each other"),
    ("dependentRequired", "properties that depend on each other"),
    ("$dynamicRef", "a dynamic reference"),
];

/// The dialect of strict mode.
pub(super) struct StrictDialect;

impl Dialect for StrictDialect {
    fn convert(exact: &Value, owner: &str) -> Option<Value> {
        let warn = |reason: &String| {
            tracing::warn!("the schema of `{owner}` is sent without strict mode: {reason}");
        };
        openai_strict(exact).inspect_err(warn).ok()
    }
}

/// Whether strict mode made the model write a null where it would leave a property out.
pub(super) fn is_strict(schema: &Schema, owner: &str) -> bool {
    schema.dialect::<StrictDialect>(owner).is_some()
}

/// The strict form of an exact schema, or the first place that strict schemas cannot describe, and why.
///
/// A property that may be left out becomes one that may be null. Bounds and formats that are not known are dropped, as
/// are defaults; whoever reads the answer still checks them.
fn openai_strict(exact: &Value) -> Result<Value, String> {
    let mut rewriter = StrictRewriter { exact, depth: 0, schemas: 0, merging: Vec::new() };
    let Value::Object(root) = exact else {
        return Err(unsupported("", "this is not the schema of an object"));
    };
    if types(root) != ["object"] || choice(root).is_some() || root.contains_key("$ref") {
        return Err(unsupported("", "the whole must be an object, and no choice or reference"));
    }
    let mut strict = rewriter.map(root, "")?;
    for key in ["$defs", "definitions"] {
        let Some(Value::Object(exact)) = root.get(key) else {
            continue;
        };
        let at = pointer::child("", key);
        let mut definitions = Map::new();
        for (name, schema) in exact {
            let schema = rewriter.schema(schema, &pointer::child(&at, name))?;
            definitions.insert(name.clone(), schema);
        }
        strict.insert(key.to_owned(), Value::Object(definitions));
    }
    Ok(Value::Object(strict))
}

fn unsupported(at: &str, what: &str) -> String {
    format!("at {}: {what}", place(at))
}

struct StrictRewriter<'a> {
    exact: &'a Value,
    depth: usize,
    schemas: usize,
    /// Pointers of the definitions that are being written out.
    merging: Vec<String>,
}

impl StrictRewriter<'_> {
    fn schema(&mut self, exact: &Value, at: &str) -> Result<Value, String> {
        let Value::Object(map) = exact else {
            return Err(unsupported(at, "a value of any kind has no strict schema"));
        };
        if self.depth == MAX_DEPTH {
            return Err(unsupported(at, "nested too deep"));
        }
        self.schemas += 1;
        if self.schemas > MAX_SCHEMAS {
            return Err(unsupported(at, "here the schema has become too large"));
        }
        self.depth += 1;
        let strict = self.map(map, at);
        self.depth -= 1;
        strict.map(Value::Object)
    }

    fn map(&mut self, map: &Map<String, Value>, at: &str) -> Result<Map<String, Value>, String> {
        for (key, what) in UNSAYABLE {
            if map.contains_key(key) {
                return Err(unsupported(&pointer::child(at, key), what));
            }
        }
        if let Some(reference) = map.get("$ref") {
            return self.reference(reference, map, at);
        }
        let mut strict = Map::new();
        if let Some((key, branches)) = choice(map) {
            self.choice(key, branches, map, at, &mut strict)?;
        } else {
            self.typed(map, at, &mut strict)?;
        }
        Ok(strict)
    }

    /// A reference stands alone. What only describes goes around it, what limits is merged with what it names.
    fn reference(
        &mut self,
        reference: &Value,
        map: &Map<String, Value>,
        at: &str,
    ) -> Result<Map<String, Value>, String> {
        let Some((target, pointer)) = resolve(self.exact, reference) else {
            return Err(unsupported(at, &format!("{reference} is not a place in this schema")));
        };
        let limits =
            |key: &str| key == "type" || key == "enum" || keyword_value(key) != KeywordValue::Data;
        let is_definition = |key: &str| matches!(key, "$defs" | "definitions");
        if map.keys().any(|key| limits(key) && !is_definition(key)) {
            if self.merging.contains(&pointer) {
                return Err(unsupported(at, "it contains itself with more properties each time"));
            }
            self.merging.push(pointer);
            // The depth is counted, since a schema may be written out within itself.
            let strict = self.schema(&Value::Object(merged(target, map)), at);
            self.merging.pop();
            return strict.map(|strict| strict.as_object().cloned().unwrap_or_default());
        }
        let alone = json!({ "$ref": reference });
        let mut strict = notes(map);
        if strict.is_empty() {
            return Ok(alone.as_object().cloned().unwrap_or_default());
        }
        strict.insert("anyOf".to_owned(), Value::Array(vec![alone]));
        Ok(strict)
    }

    fn choice(
        &mut self,
        key: &str,
        branches: &[Value],
        map: &Map<String, Value>,
        at: &str,
        strict: &mut Map<String, Value>,
    ) -> Result<(), String> {
        let beside =
            ["properties", "items", "prefixItems", "enum", "const", "additionalProperties"];
        let both = map.contains_key("anyOf") && map.contains_key("oneOf");
        if both || beside.iter().any(|other| map.contains_key(*other)) {
            return Err(unsupported(at, "a choice with other keywords beside it"));
        }
        let at = pointer::child(at, key);
        let mut any = Vec::new();
        for (index, branch) in branches.iter().enumerate() {
            any.push(self.schema(branch, &pointer::element(&at, index))?);
        }
        *strict = notes(map);
        strict.insert("anyOf".to_owned(), Value::Array(any));
        Ok(())
    }

    fn typed(
        &mut self,
        map: &Map<String, Value>,
        at: &str,
        strict: &mut Map<String, Value>,
    ) -> Result<(), String> {
        let kind = match map.get("type") {
            Some(written) => written.clone(),
            None => {
                let values = fixed_values(map).unwrap_or_default();
                match &types_of(&values)[..] {
                    [] if map.contains_key("properties") => json!("object"),
                    [] if map.contains_key("items") => json!("array"),
                    [] => return Err(unsupported(at, "a value of any kind has no strict schema")),
                    [only] => json!(only),
                    several => json!(several),
                }
            }
        };
        strict.insert("type".to_owned(), kind.clone());
        for (key, value) in map {
            let is_known = COPIED.contains(&key.as_str());
            let is_format = key == "format" && FORMATS.iter().any(|known| value == known);
            if is_known || is_format {
                strict.insert(key.clone(), value.clone());
            }
        }
        let is = |name: &str| {
            kind == name || kind.as_array().is_some_and(|all| all.iter().any(|one| one == name))
        };
        if is("object") {
            self.object(map, at, strict)?;
        }
        if is("array") {
            self.items(map, at, strict)?;
        }
        Ok(())
    }

    fn object(
        &mut self,
        map: &Map<String, Value>,
        at: &str,
        strict: &mut Map<String, Value>,
    ) -> Result<(), String> {
        for key in ["additionalProperties", "unevaluatedProperties"] {
            if map.get(key).is_some_and(|rest| *rest != Value::Bool(false)) {
                return Err(unsupported(&pointer::child(at, key), "a map with free keys"));
            }
        }
        let required: Vec<&Value> =
            map.get("required").and_then(Value::as_array).into_iter().flatten().collect();
        let exact = map.get("properties").and_then(Value::as_object);
        let at = pointer::child(at, "properties");
        let mut properties = Map::new();
        for (name, exact) in exact.into_iter().flatten() {
            let mut schema = self.schema(exact, &pointer::child(&at, name))?;
            if !required.iter().any(|other| *other == name) {
                schema = nullable(schema);
            }
            properties.insert(name.clone(), schema);
        }
        if let Some(missing) = required
            .iter()
            .find(|name| !name.as_str().is_some_and(|name| properties.contains_key(name)))
        {
            return Err(unsupported(&at, &format!("{missing} is required and not described")));
        }
        let names: Vec<_> = properties.keys().cloned().collect();
        strict.insert("properties".to_owned(), Value::Object(properties));
        strict.insert("required".to_owned(), names.into());
        strict.insert("additionalProperties".to_owned(), Value::Bool(false));
        Ok(())
    }

    fn items(
        &mut self,
        map: &Map<String, Value>,
        at: &str,
        strict: &mut Map<String, Value>,
    ) -> Result<(), String> {
        let (exact, at) = match tuple_items(map).as_deref() {
            Some([(_, only)]) => (*only, pointer::element(&pointer::child(at, "prefixItems"), 0)),
            Some(_) => {
                return Err(unsupported(
                    &pointer::child(at, "prefixItems"),
                    "a list of different kinds by place",
                ));
            }
            None => match map.get("items") {
                Some(items) => (items, pointer::child(at, "items")),
                // An array that is always empty.
                None if map.get("maxItems") == Some(&json!(0)) => {
                    strict.insert("items".to_owned(), json!({ "type": "null" }));
                    return Ok(());
                }
                None => return Err(unsupported(at, "a list that does not say of what")),
            },
        };
        let items = self.schema(exact, &at)?;
        strict.insert("items".to_owned(), items);
        Ok(())
    }
}

/// Annotations.
fn notes(map: &Map<String, Value>) -> Map<String, Value> {
    let is_note = |(key, _): &(&String, &Value)| matches!(key.as_str(), "title" | "description");
    map.iter().filter(is_note).map(|(key, value)| (key.clone(), value.clone())).collect()
}

/// A strict schema, or null.
fn nullable(schema: Value) -> Value {
    let Value::Object(mut map) = schema else {
        return schema;
    };
    let null = json!({ "type": "null" });
    if let Some(Value::Array(branches)) = map.get_mut("anyOf") {
        if !branches.contains(&null) {
            branches.push(null);
        }
        return Value::Object(map);
    }
    // Beside a null in its list, an enum would be another one for whoever reads the schema.
    let enum_without_null =
        map.get("enum").and_then(Value::as_array).is_some_and(|all| !all.contains(&Value::Null));
    if map.contains_key("$ref") || map.contains_key("const") || enum_without_null {
        let notes = notes(&map);
        map.retain(|key, _| !notes.contains_key(key));
        let mut around = notes;
        around.insert("anyOf".to_owned(), Value::Array(vec![Value::Object(map), null]));
        return Value::Object(around);
    }
    match map.get_mut("type") {
        Some(Value::Array(several)) if !several.iter().any(|name| name == "null") => {
            several.push("null".into());
        }
        Some(kind @ Value::String(_)) if kind != "null" => *kind = json!([kind.clone(), "null"]),
        _ => {}
    }
    Value::Object(map)
}

/// A pointer for people.
fn place(at: &str) -> Cow<'_, str> {
    if at.is_empty() { "the root".into() } else { format!("`{at}`").into() }
}
