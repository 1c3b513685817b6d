//! Arguments that are valid for a schema: what is required, and all properties at the top level.

use serde_json::{Map, Value, json};

/// The maximum depth of a value that refers to itself.
const MAX_DEPTH: usize = 8;

/// Texts, one of which should match a schema for text.
const TEXTS: [&str; 19] = [
    "ab",
    "7",
    "2026-11-25T08:00:00Z",
    "2026-11-25",
    "https://example.com/it",
    "ada@example.com",
    "2f0c6f2e-6c1f-4f0a-9d0e-5d2f4a1b3c5d",
    "192.0.2.1",
    "0123456789abcdef0123456789abcdef01234567",
    "0123456789abcdef0123456789abcdef0123456789abcdef0123456789abcdef",
    "12:34",
    "refs/heads/main",
    "AAECAwQFBgcICQoLDA0ODw==",
    "sha256:0123456789abcdef0123456789abcdef0123456789abcdef0123456789abcdef",
    "1.2.3",
    "it.json",
    "ssh-rsa AAAA",
    "/branches/1.0_beta/categories/guides/it",
    "a-rather-long-text-for-those-who-want-so-many-characters-of-it",
];

/// Returns a value for each property of the arguments.
pub(super) fn arguments(schema: &Value) -> Value {
    let properties = schema["properties"].as_object().into_iter().flatten();
    let values = properties.map(|(name, of)| (name.clone(), value(schema, of, 0)));
    Value::Object(values.collect())
}

fn value(root: &Value, schema: &Value, depth: usize) -> Value {
    if let Some(to) = schema["$ref"].as_str() {
        let target = root.pointer(to.trim_start_matches('#')).unwrap_or(&Value::Bool(true));
        return if depth > MAX_DEPTH { json!({}) } else { value(root, target, depth + 1) };
    }
    if let Some(only) = schema.get("const") {
        return only.clone();
    }
    if let Some(first) = schema["enum"].get(0) {
        return first.clone();
    }
    let branches = |key: &str| schema[key].as_array().cloned().unwrap_or_default();
    let (mut all, mut is_object) = (Map::new(), schema.get("properties").is_some());
    for part in branches("allOf") {
        match value(root, &part, depth + 1) {
            Value::Object(members) => {
                is_object = true;
                all.extend(members);
            }
            other => return other,
        }
    }
    for key in ["anyOf", "oneOf"] {
        // A branch that contains only `required` refers to the properties of the schema around it.
        let branch = branches(key).into_iter().find(|branch| branch["type"] != "null");
        let Some(mut branch) = branch else { continue };
        if let Value::Object(branch) = &mut branch {
            if let Some(properties) = schema.get("properties") {
                branch.entry("properties").or_insert_with(|| properties.clone());
                branch.entry("type").or_insert_with(|| json!("object"));
            }
            // An empty object would match each of them.
            branch.entry("minProperties").or_insert_with(|| json!(1));
        }
        match value(root, &branch, depth + 1) {
            Value::Object(members) => {
                is_object = true;
                all.extend(members);
            }
            other => return other,
        }
    }
    let of_list = || {
        schema["type"].as_array()?.iter().find_map(|one| one.as_str().filter(|it| *it != "null"))
    };
    let kind = schema["type"].as_str().or_else(of_list).unwrap_or(if is_object {
        "object"
    } else {
        "string"
    });
    match kind {
        "object" => {
            all.extend(members(root, schema, depth));
            if all.is_empty() && depth == 0 && schema["additionalProperties"] != false {
                all.insert("any".to_owned(), json!("ab"));
            }
            Value::Object(all)
        }
        "array" => {
            let count = schema["minItems"].as_u64().unwrap_or(1).max(1);
            let items = schema.get("items").cloned().unwrap_or_else(|| json!({}));
            (0..count).map(|_| value(root, &items, depth + 1)).collect()
        }
        "boolean" => json!(true),
        "integer" | "number" => number(schema),
        "null" => Value::Null,
        _ => text(schema),
    }
}

fn members(root: &Value, schema: &Value, depth: usize) -> Map<String, Value> {
    let required = schema["required"].as_array().into_iter().flatten().filter_map(Value::as_str);
    let any = json!({});
    let of = |name: &str| schema["properties"].get(name).unwrap_or(&any);
    let mut members: Map<_, _> =
        required.map(|name| (name.to_owned(), value(root, of(name), depth + 1))).collect();
    // An argument without members cannot be in a path.
    let least = schema["minProperties"].as_u64().unwrap_or(u64::from(depth == 0)) as usize;
    for (name, of) in schema["properties"].as_object().into_iter().flatten() {
        if members.len() >= least {
            break;
        }
        members.entry(name).or_insert_with(|| value(root, of, depth + 1));
    }
    members
}

fn number(schema: &Value) -> Value {
    let bound = |key: &str| schema[key].as_i64();
    let least = bound("minimum").or_else(|| bound("exclusiveMinimum").map(|it| it + 1));
    let most = bound("maximum").or_else(|| bound("exclusiveMaximum").map(|it| it - 1));
    json!(least.or(most.map(|most| most.min(1))).unwrap_or(1))
}

/// Returns the first text that is valid according to another implementation.
fn text(schema: &Value) -> Value {
    let mut alone = schema.clone();
    if let Value::Object(members) = &mut alone {
        // References are checked as a whole.
        members.retain(|key, _| !matches!(key.as_str(), "anyOf" | "oneOf" | "allOf" | "not"));
        members.insert("type".to_owned(), json!("string"));
    }
    let format = schema["format"].as_str();
    let fits = |text: &&str| {
        let is_format = match format {
            Some("date-time") => text.ends_with('Z'),
            Some("date") => text.len() == 10 && text.starts_with("2026"),
            Some("uri" | "url") => text.starts_with("https://"),
            Some("email") => text.contains('@'),
            Some("uuid") => text.len() == 36,
            _ => true,
        };
        is_format && jsonschema::is_valid(&alone, &json!(text))
    };
    json!(TEXTS.into_iter().find(fits).unwrap_or("ab"))
}
