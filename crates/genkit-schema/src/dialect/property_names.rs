//! Property names that every provider accepts, and the mapping back to the original names.
//!
//! Providers reject a whole request for one property such as `$top`, `filter[status]` or `@odata.type`. Such a property
//! is renamed in the schema and in the history that are sent. Calls in a response get the original name again.

use std::collections::{HashMap, HashSet};

use serde_json::{Map, Value};

use crate::dialect::position::Position;
use crate::dialect::resolve_reference;
use crate::repair::{Patterns, repair};
use crate::shared::Schema;

/// The maximum length of a property name. Default is 64, Anthropic's limit.
const MAX_NAME: usize = 64;

/// The maximum number of schemas that are considered for one value. Default is 64.
const MAX_SCHEMAS: usize = 64;

/// The schema of a tool with names that match `[A-Za-z_][A-Za-z0-9_.-]{0,63}`, and the mapping of its other names.
pub struct PropertyNames {
    exact: Value,
    renamed: Schema,
    sent: HashMap<String, String>,
    original_names: HashMap<String, String>,
}

impl PropertyNames {
    /// Returns `None` if every name is sent unchanged, which is the usual case.
    pub(crate) fn new(exact: &Value) -> Option<Self> {
        if !has_unsafe_name(exact) {
            return None;
        }
        let exact = repair(exact.clone(), Patterns::All).schema;
        let mut all = Vec::new();
        collect_names(&exact, &mut all);
        let mut taken: HashSet<String> =
            all.iter().filter(|name| is_safe(name)).map(|name| (*name).to_owned()).collect();
        let (mut sent, mut original_names) = (HashMap::new(), HashMap::new());
        for name in all {
            if is_safe(name) || sent.contains_key(name) {
                continue;
            }
            let new = free_name(name, &mut taken);
            sent.insert(name.to_owned(), new.clone());
            original_names.insert(new, name.to_owned());
        }
        let renamed = Schema::new(rename_schema(&exact, &sent));
        Some(Self { exact, renamed, sent, original_names })
    }

    /// Returns the schema to send.
    pub fn renamed_schema(&self) -> &Schema {
        &self.renamed
    }

    /// Returns arguments with the names to send.
    pub fn rename_arguments(&self, arguments: Value) -> Value {
        rename_value(arguments, &[&self.exact], &self.exact, &self.sent)
    }

    /// Returns the arguments of a call with the original names.
    pub fn restore_arguments(&self, arguments: Value) -> Value {
        rename_value(arguments, &[&self.renamed], &self.renamed, &self.original_names)
    }
}

fn is_safe(name: &str) -> bool {
    name.len() <= MAX_NAME
        && name.starts_with(|c: char| c.is_ascii_alphabetic() || c == '_')
        && name.bytes().all(|byte| byte.is_ascii_alphanumeric() || b"_.-".contains(&byte))
}

fn has_unsafe_name(schema: &Value) -> bool {
    let mut names = Vec::new();
    collect_names(schema, &mut names);
    names.into_iter().any(|name| !is_safe(name))
}

fn collect_names<'a>(schema: &'a Value, names: &mut Vec<&'a str>) {
    let Value::Object(map) = schema else { return };
    for (keyword, value) in map {
        match (Position::of_keyword(keyword), value) {
            (Position::Schema, schema) => collect_names(schema, names),
            (Position::List, Value::Array(list)) => {
                list.iter().for_each(|schema| collect_names(schema, names));
            }
            (Position::Named, Value::Object(named)) => {
                if keyword == "properties" {
                    names.extend(named.keys().map(String::as_str));
                }
                named.values().for_each(|schema| collect_names(schema, names));
            }
            (_, Value::Array(required)) if keyword == "required" => {
                names.extend(required.iter().filter_map(Value::as_str));
            }
            _ => {}
        }
    }
}

/// Returns a safe name that no other property has.
fn free_name(name: &str, taken: &mut HashSet<String>) -> String {
    let mut safe = String::with_capacity(name.len());
    for c in name.chars() {
        if c.is_ascii_alphanumeric() || matches!(c, '_' | '.' | '-') {
            safe.push(c);
        } else if !safe.is_empty() && !safe.ends_with('_') {
            safe.push('_');
        }
    }
    let safe = safe.trim_end_matches('_').trim_start_matches(['.', '-']);
    let start =
        if safe.starts_with(|c: char| c.is_ascii_alphabetic() || c == '_') { "" } else { "_" };
    let mut stem = format!("{start}{safe}");
    // Leave space for a number.
    stem.truncate(MAX_NAME - 8);
    let mut free = stem.clone();
    let mut number = 2;
    while !taken.insert(free.clone()) {
        free = format!("{stem}_{number}");
        number += 1;
    }
    free
}

fn rename_schema(schema: &Value, sent: &HashMap<String, String>) -> Value {
    let Value::Object(map) = schema else { return schema.clone() };
    let new_name = |name: &String| sent.get(name).unwrap_or(name).clone();
    let rename_list = |names: &Value| match names.as_array() {
        Some(names) => {
            let each = names.iter().map(|name| match name {
                Value::String(name) => Value::String(new_name(name)),
                other => other.clone(),
            });
            each.collect()
        }
        None => names.clone(),
    };
    let mut renamed = Map::with_capacity(map.len());
    for (keyword, value) in map {
        let value = match (Position::of_keyword(keyword), value) {
            (Position::Schema, schema) => rename_schema(schema, sent),
            (Position::List, Value::Array(list)) => {
                list.iter().map(|schema| rename_schema(schema, sent)).collect()
            }
            (Position::Named, Value::Object(named)) => {
                let are_properties = matches!(keyword.as_str(), "properties" | "dependentSchemas");
                let each = named.iter().map(|(name, schema)| {
                    let mut schema = rename_schema(schema, sent);
                    if keyword == "properties" && sent.contains_key(name) {
                        describe_name(&mut schema, name);
                    }
                    (if are_properties { new_name(name) } else { name.clone() }, schema)
                });
                Value::Object(each.collect())
            }
            (_, names) if keyword == "required" => rename_list(names),
            (_, Value::Object(all)) if keyword == "dependentRequired" => {
                let each = all.iter().map(|(name, names)| (new_name(name), rename_list(names)));
                Value::Object(each.collect())
            }
            (_, Value::String(reference)) if keyword == "$ref" => {
                rename_reference(reference, sent).into()
            }
            (_, other) => other.clone(),
        };
        renamed.insert(keyword.clone(), value);
    }
    // `propertyNames` describes the original names, so remove it if a property was renamed.
    let has_new =
        |all: &Value| all.as_object().is_some_and(|all| all.keys().any(|it| sent.contains_key(it)));
    if map.get("properties").is_some_and(has_new) {
        renamed.shift_remove("propertyNames");
    }
    Value::Object(renamed)
}

/// Renames the properties in a reference such as `#/properties/$top`.
fn rename_reference(reference: &str, sent: &HashMap<String, String>) -> String {
    let Some(pointer) = crate::json::pointer::from_reference(reference) else {
        return reference.to_owned();
    };
    let mut renamed = String::from("#");
    let mut is_name = false;
    for part in pointer.split('/').skip(1) {
        let name = part.replace("~1", "/").replace("~0", "~");
        match sent.get(&name).filter(|_| is_name) {
            Some(new) => renamed = crate::json::pointer::child(&renamed, new),
            None => {
                renamed.push('/');
                renamed.push_str(part);
            }
        }
        is_name = !is_name && part == "properties";
    }
    if pointer.split('/').any(|part| sent.contains_key(&part.replace("~1", "/").replace("~0", "~")))
    {
        renamed
    } else {
        reference.to_owned()
    }
}

/// Adds the original name to the description, because other descriptions of the tool may mention it.
fn describe_name(schema: &mut Value, name: &str) {
    if *schema == Value::Bool(true) {
        *schema = Value::Object(Map::new());
    }
    let Value::Object(map) = schema else { return };
    let described = match map.get("description").and_then(Value::as_str) {
        Some(own) => format!("`{name}`: {own}"),
        None => format!("`{name}`"),
    };
    map.insert("description".to_owned(), described.into());
}

/// Renames the properties that one of the schemas declares.
fn rename_value(
    value: Value,
    schemas: &[&Value],
    root: &Value,
    names: &HashMap<String, String>,
) -> Value {
    let mut applied = Vec::new();
    schemas.iter().for_each(|schema| collect_applied(schema, root, &mut applied));
    match value {
        Value::Object(members) => {
            let each = members.into_iter().map(|(name, member)| {
                let declared: Vec<&Value> =
                    applied.iter().filter_map(|map| map.get("properties")?.get(&name)).collect();
                if declared.is_empty() {
                    let others = applied.iter().flat_map(|map| {
                        let by_pattern = map.get("patternProperties").and_then(Value::as_object);
                        let by_pattern = by_pattern.into_iter().flat_map(Map::values);
                        by_pattern.chain(map.get("additionalProperties"))
                    });
                    let others: Vec<&Value> = others.collect();
                    return (name, rename_value(member, &others, root, names));
                }
                let member = rename_value(member, &declared, root, names);
                (names.get(&name).cloned().unwrap_or(name), member)
            });
            Value::Object(each.collect())
        }
        Value::Array(items) => {
            let each = items.into_iter().enumerate().map(|(index, item)| {
                let inner: Vec<&Value> = applied
                    .iter()
                    .filter_map(|map| {
                        match map.get("prefixItems").and_then(|list| list.get(index)) {
                            Some(schema) => Some(schema),
                            None => map.get("items"),
                        }
                    })
                    .collect();
                rename_value(item, &inner, root, names)
            });
            each.collect()
        }
        other => other,
    }
}

/// Collects a schema and the schemas that apply to the same value: the target of a reference, and the parts of a
/// choice.
fn collect_applied<'a>(schema: &'a Value, root: &'a Value, all: &mut Vec<&'a Map<String, Value>>) {
    let Value::Object(map) = schema else { return };
    if all.len() >= MAX_SCHEMAS || all.iter().any(|known| std::ptr::eq(*known, map)) {
        return;
    }
    all.push(map);
    if let Some((target, _)) = map.get("$ref").and_then(|it| resolve_reference(root, it))
        && !all.iter().any(|known| std::ptr::eq(*known, target))
        && all.len() < MAX_SCHEMAS
    {
        all.push(target);
        collect_parts(target, root, all);
    }
    collect_parts(map, root, all);
}

fn collect_parts<'a>(
    map: &'a Map<String, Value>,
    root: &'a Value,
    all: &mut Vec<&'a Map<String, Value>>,
) {
    for keyword in ["anyOf", "oneOf", "allOf"] {
        let parts = map.get(keyword).and_then(Value::as_array).into_iter().flatten();
        parts.for_each(|part| collect_applied(part, root, all));
    }
    for keyword in ["then", "else"] {
        if let Some(part) = map.get(keyword) {
            collect_applied(part, root, all);
        }
    }
    let dependent = map.get("dependentSchemas").and_then(Value::as_object).into_iter().flatten();
    dependent.for_each(|(_, part)| collect_applied(part, root, all));
}
