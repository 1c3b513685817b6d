//! The treatment of keywords in strict mode: copied, described as text, omitted or unsupported.

use serde_json::{Map, Value};

/// Keywords that are copied unchanged.
const COPIED: [&str; 10] = [
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

/// The supported formats of strings; others are rejected.
const FORMATS: [&str; 9] =
    ["date-time", "time", "date", "duration", "email", "hostname", "ipv4", "ipv6", "uuid"];

/// Number formats, which state the width of a number in a program and are irrelevant to a model.
const WIDTHS: [&str; 14] = [
    "int8", "int16", "int32", "int64", "int128", "int", "uint8", "uint16", "uint32", "uint64",
    "uint128", "uint", "float", "double",
];

/// Keywords that the rewriter handles separately.
const REWRITTEN: [&str; 10] = [
    "type",
    "properties",
    "required",
    "additionalProperties",
    "unevaluatedProperties",
    "items",
    "prefixItems",
    "anyOf",
    "oneOf",
    "$ref",
];

/// Keywords that do not constrain a value.
const WITHOUT_EFFECT: [&str; 3] = ["$schema", "$id", "$comment"];

/// Annotations, which are kept as the title and the description of the strict schema.
const DESCRIBING: [&str; 5] = ["title", "description", "default", "examples", "deprecated"];

/// The keywords of definitions; only definitions at the root are kept.
pub(super) const DEFINITIONS: [&str; 2] = ["$defs", "definitions"];

/// The reasons why keywords are unsupported. Keywords that are not listed are unknown.
const REASONS: [(&str, &str); 11] = [
    ("allOf", "a combination of several schemas"),
    ("not", "a negation"),
    ("if", "a condition"),
    ("patternProperties", "a map with arbitrary keys"),
    ("propertyNames", "a map with arbitrary keys"),
    ("contains", "a list that must contain a certain item"),
    ("dependentSchemas", "properties that depend on each other"),
    ("dependentRequired", "properties that depend on each other"),
    ("minLength", "a limit on the length of a string"),
    ("maxLength", "a limit on the length of a string"),
    ("uniqueItems", "a list without repetitions"),
];

/// Returns whether a keyword only describes a value, without constraining it.
pub(super) fn is_note(key: &str) -> bool {
    DESCRIBING.contains(&key) || WITHOUT_EFFECT.contains(&key) || key.starts_with("x-")
}

/// Returns the first keyword of a schema that strict mode does not support, and the reason.
pub(super) fn unsupported_keyword(
    map: &Map<String, Value>,
    is_root: bool,
) -> Option<(&str, &'static str)> {
    map.iter().find_map(|(key, value)| {
        let key = key.as_str();
        let is_known = REWRITTEN.contains(&key) || COPIED.contains(&key) || is_note(key);
        let is_definition = is_root && DEFINITIONS.contains(&key);
        if is_known || is_definition || (key == "format" && is_known_format(value)) {
            return None;
        }
        let reason = REASONS.iter().find(|(other, _)| *other == key);
        Some((key, reason.map_or("an unsupported keyword", |(_, why)| why)))
    })
}

fn is_known_format(format: &Value) -> bool {
    format.as_str().is_some_and(|format| FORMATS.contains(&format) || WIDTHS.contains(&format))
}

/// Returns the keywords that are copied unchanged.
pub(super) fn copied_keywords(map: &Map<String, Value>) -> impl Iterator<Item = (&String, &Value)> {
    map.iter().filter(|(key, value)| {
        let is_format = *key == "format" && FORMATS.iter().any(|known| *value == known);
        COPIED.contains(&key.as_str()) || is_format
    })
}

/// Returns the annotations of a value: its title, and a description that includes its default and
/// examples.
pub(super) fn kept_notes(map: &Map<String, Value>) -> Map<String, Value> {
    let mut notes = Map::new();
    if let Some(title) = map.get("title") {
        notes.insert("title".to_owned(), title.clone());
    }
    let mut said = Vec::new();
    said.extend(map.get("description").and_then(Value::as_str).map(str::to_owned));
    // In strict mode, null means an omitted property.
    said.extend(map.get("default").filter(|it| !it.is_null()).map(|it| format!("Default: {it}.")));
    if let Some(examples) = map.get("examples").and_then(Value::as_array) {
        let examples: Vec<String> = examples.iter().map(Value::to_string).collect();
        said.push(format!("Examples: {}.", examples.join(", ")));
    }
    if map.get("deprecated") == Some(&Value::Bool(true)) {
        said.push("Deprecated.".to_owned());
    }
    if !said.is_empty() {
        notes.insert("description".to_owned(), said.join(" ").into());
    }
    notes
}
