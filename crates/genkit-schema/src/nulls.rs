//! Removal of nulls that represent absent optional properties.

use std::collections::HashSet;

use serde_json::{Map, Value};

/// The maximum number of references and choices followed from one value, which also ends loops. Default is 16.
const MAX_HOPS: usize = 16;

/// Removes optional properties that are null. A model that must write every property, as OpenAI's strict mode requires,
/// writes null for absent properties.
///
/// `exact` is the schema of the value. Set `forced` if the model had to write every property. Otherwise, a null that
/// `exact` allows is meaningful and is kept.
pub fn drop_optional_nulls(value: &mut Value, exact: &Value, forced: bool) {
    NullRemover { root: exact, forced }.clean_value(value, exact, MAX_HOPS);
}

struct NullRemover<'a> {
    root: &'a Value,
    forced: bool,
}

impl<'a> NullRemover<'a> {
    // The recursion depth is limited, because the JSON parser limits the depth of the value.
    fn clean_value(&self, value: &mut Value, schema: &'a Value, hops: usize) {
        let Some(schema) = self.resolve_schema(schema) else { return };
        match value {
            Value::Object(object) => self.clean_object(object, schema),
            Value::Array(list) => self.clean_list(list, schema),
            _ => return,
        }
        let Some(hops) = hops.checked_sub(1) else { return };
        for branch in listed_branches(schema, "allOf") {
            self.clean_value(value, branch, hops);
        }
        let mut branches = listed_branches(schema, "anyOf").chain(listed_branches(schema, "oneOf"));
        if let Some(branch) = branches.find(|branch| self.suits_branch(value, branch)) {
            self.clean_value(value, branch, hops);
        }
    }

    fn clean_object(&self, object: &mut Map<String, Value>, schema: &'a Map<String, Value>) {
        let properties = schema.get("properties").and_then(Value::as_object);
        let required = schema.get("required").and_then(Value::as_array);
        let required: HashSet<&str> =
            required.into_iter().flatten().filter_map(Value::as_str).collect();
        let is_required = |name: &str| required.contains(name);
        let own = |name: &str| properties.and_then(|properties| properties.get(name));
        object.retain(|name, value| match own(name) {
            Some(own) if value.is_null() => {
                is_required(name) || (!self.forced && self.takes_null(own, MAX_HOPS))
            }
            _ => true,
        });
        for (name, value) in object.iter_mut() {
            if let Some(schema) = own(name).or_else(|| schema.get("additionalProperties")) {
                self.clean_value(value, schema, MAX_HOPS);
            }
        }
    }

    fn clean_list(&self, list: &mut [Value], schema: &'a Map<String, Value>) {
        let mut fixed = listed_branches(schema, "prefixItems");
        for item in list {
            if let Some(schema) = fixed.next().or_else(|| schema.get("items")) {
                self.clean_value(item, schema, MAX_HOPS);
            }
        }
    }

    /// Returns whether `value` may have been written for this branch of a choice.
    fn suits_branch(&self, value: &Value, branch: &'a Value) -> bool {
        let Some(branch) = self.resolve_schema(branch) else { return false };
        let is = |name: &str| match branch.get("type") {
            Some(Value::String(own)) => own == name,
            Some(Value::Array(all)) => all.iter().any(|own| own == name),
            _ => true,
        };
        let Value::Object(object) = value else { return is("array") };
        let mut required = listed_branches(branch, "required").filter_map(Value::as_str);
        let fixed = branch.get("properties").and_then(Value::as_object).into_iter().flatten();
        let mut fixed =
            fixed.filter_map(|(name, own)| Some((object.get(name)?, own.get("const")?)));
        is("object")
            && required.all(|name| object.contains_key(name))
            && fixed.all(|(value, wanted)| value == wanted)
    }

    fn takes_null(&self, schema: &'a Value, hops: usize) -> bool {
        let Some(schema) = self.resolve_schema(schema) else { return true };
        let Some(hops) = hops.checked_sub(1) else { return true };
        if let Some(kind) = schema.get("type") {
            return kind == "null"
                || kind.as_array().is_some_and(|all| all.iter().any(|it| it == "null"));
        }
        if let Some(only) = schema.get("const") {
            return only.is_null();
        }
        if schema.contains_key("enum") {
            return listed_branches(schema, "enum").any(Value::is_null);
        }
        let mut branches =
            listed_branches(schema, "anyOf").chain(listed_branches(schema, "oneOf")).peekable();
        branches.peek().is_none() || branches.any(|branch| self.takes_null(branch, hops))
    }

    /// Follows references to the final schema. Returns `None` for `true`, `false` and missing targets.
    fn resolve_schema(&self, schema: &'a Value) -> Option<&'a Map<String, Value>> {
        let mut schema = schema.as_object()?;
        for _ in 0..MAX_HOPS {
            let Some(Value::String(reference)) = schema.get("$ref") else { return Some(schema) };
            schema = self.root.pointer(reference.strip_prefix('#')?)?.as_object()?;
        }
        None
    }
}

fn listed_branches<'a>(
    schema: &'a Map<String, Value>,
    key: &str,
) -> impl Iterator<Item = &'a Value> + use<'a> {
    schema.get(key).and_then(Value::as_array).into_iter().flatten()
}
