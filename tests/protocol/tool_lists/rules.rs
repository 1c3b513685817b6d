//! The schemas that each receiver rejects, according to its documentation and its error messages.

use serde_json::{Map, Value};

use super::SentTool;

/// The rules of a receiver of tool lists.
struct Rules {
    /// The first word of the receivers.
    receiver: &'static str,
    /// Keywords that are rejected at the root of the arguments.
    at_root: &'static [&'static str],
    /// Keywords that are rejected everywhere.
    anywhere: &'static [&'static str],
    /// The only keywords that are accepted, if there is a list.
    only: Option<&'static [&'static str]>,
    /// Returns whether a character is accepted in the name of a property.
    in_names: fn(char) -> bool,
    /// The maximum length of the name of a property.
    max_name: usize,
}

const CHOICES: &[&str] = &["anyOf", "oneOf", "allOf", "not", "enum", "const", "if", "$ref"];

const RULES: [Rules; 5] = [
    Rules {
        receiver: "anthropic",
        at_root: CHOICES,
        anywhere: &["$id"],
        only: None,
        in_names: is_word,
        max_name: 64,
    },
    Rules {
        receiver: "openai",
        at_root: CHOICES,
        anywhere: &["$id", "$dynamicRef", "$recursiveRef"],
        only: None,
        in_names: |_| true,
        max_name: 64,
    },
    Rules {
        receiver: "gemini",
        at_root: CHOICES,
        anywhere: &["$schema", "$id"],
        only: None,
        in_names: is_word,
        max_name: 64,
    },
    Rules {
        receiver: "ollama",
        at_root: CHOICES,
        anywhere: &["$schema", "$id"],
        only: None,
        in_names: |_| true,
        max_name: usize::MAX,
    },
    // The TypeScript SDK requires an object; Claude Code and the providers behind it reject a choice at the root.
    Rules {
        receiver: "mcp",
        at_root: CHOICES,
        anywhere: &[],
        only: None,
        in_names: |_| true,
        max_name: usize::MAX,
    },
];

/// The fields of `Schema` in the API of Gemini.
const OPENAPI: &[&str] = &[
    "type",
    "format",
    "title",
    "description",
    "nullable",
    "enum",
    "maxItems",
    "minItems",
    "properties",
    "required",
    "minProperties",
    "maxProperties",
    "minLength",
    "maxLength",
    "pattern",
    "example",
    "anyOf",
    "propertyOrdering",
    "default",
    "items",
    "minimum",
    "maximum",
];

fn is_word(c: char) -> bool {
    c.is_ascii_alphanumeric() || "_.-".contains(c)
}

/// Returns what the receiver rejects in the schema of a tool.
pub(super) fn find_violations(tool: &SentTool) -> Vec<String> {
    let word = tool.receiver.split([',', '-']).next().unwrap_or_default();
    let rules = RULES.iter().find(|rules| rules.receiver == word).unwrap();
    let is_openapi = tool.receiver == "gemini, OpenAPI";
    let only = if is_openapi { Some(OPENAPI) } else { rules.only };
    let mut found = Vec::new();
    let root = &tool.schema;
    let kind = root["type"].as_str().unwrap_or_default();
    if !kind.eq_ignore_ascii_case("object") {
        found.push(format!("the type of the root is {}", root["type"]));
    }
    found.extend(
        rules
            .at_root
            .iter()
            .filter(|key| root.get(**key).is_some())
            .map(|key| format!("`{key}` at the root")),
    );
    check_schema(root, &Rules { only, ..*rules }, is_openapi, &mut found);
    found.dedup();
    found
        .into_iter()
        .map(|what| format!("{}: {}: {what}: {root}", tool.receiver, tool.name))
        .collect()
}

fn check_schema(schema: &Value, rules: &Rules, is_openapi: bool, found: &mut Vec<String>) {
    let Value::Object(map) = schema else {
        if is_openapi || !schema.is_boolean() {
            found.push(format!("{schema} in the place of a schema"));
        }
        return;
    };
    check_keywords(map, rules, found);
    for (keyword, value) in map {
        match (keyword.as_str(), value) {
            ("properties", Value::Object(named)) => {
                for (name, schema) in named {
                    let is_allowed = !name.is_empty()
                        && name.chars().count() <= rules.max_name
                        && name.chars().all(rules.in_names);
                    if !is_allowed && rules.max_name < usize::MAX {
                        found.push(format!("the name {name:?} of a property"));
                    }
                    check_schema(schema, rules, is_openapi, found);
                }
            }
            (
                "$defs" | "definitions" | "patternProperties" | "dependentSchemas",
                Value::Object(named),
            ) => {
                named.values().for_each(|schema| check_schema(schema, rules, is_openapi, found));
            }
            ("anyOf" | "oneOf" | "allOf" | "prefixItems", Value::Array(list))
                if !list.is_empty() =>
            {
                list.iter().for_each(|schema| check_schema(schema, rules, is_openapi, found));
            }
            (
                "anyOf" | "oneOf" | "allOf" | "prefixItems" | "properties" | "$defs"
                | "definitions",
                other,
            ) => {
                found.push(format!("`{keyword}` is {other}"));
            }
            (
                "items"
                | "not"
                | "if"
                | "then"
                | "else"
                | "contains"
                | "propertyNames"
                | "additionalProperties",
                inner,
            ) => {
                check_schema(inner, rules, is_openapi, found);
            }
            _ => {}
        }
    }
}

fn check_keywords(map: &Map<String, Value>, rules: &Rules, found: &mut Vec<String>) {
    for keyword in map.keys() {
        let is_known = rules.only.is_none_or(|only| only.contains(&keyword.as_str()));
        if !is_known || rules.anywhere.contains(&keyword.as_str()) {
            found.push(format!("the keyword `{keyword}`"));
        }
    }
    let types: Vec<&str> = match map.get("type") {
        None => Vec::new(),
        Some(Value::Array(types)) if !types.is_empty() => {
            types.iter().filter_map(Value::as_str).collect()
        }
        Some(Value::String(only)) => vec![only],
        Some(other) => return found.push(format!("the type {other}")),
    };
    let known = ["string", "number", "integer", "boolean", "array", "object", "null"];
    found.extend(
        types
            .iter()
            .filter(|name| !known.contains(&name.to_lowercase().as_str()))
            .map(|name| format!("the type {name:?}")),
    );
    if types.iter().any(|name| name.eq_ignore_ascii_case("array")) && !map.contains_key("items") {
        found.push("an array without `items`".to_owned());
    }
    let is_text_list =
        |value: &Value| value.as_array().is_some_and(|all| all.iter().all(Value::is_string));
    if map.get("required").is_some_and(|names| !is_text_list(names)) {
        found.push(format!("`required` is {}", map["required"]));
    }
    if map.get("enum").is_some_and(|values| values.as_array().is_none_or(Vec::is_empty)) {
        found.push(format!("`enum` is {}", map["enum"]));
    }
}
