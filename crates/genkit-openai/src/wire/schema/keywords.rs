//! Keywords as strict mode takes them: copied, said in words, left out, or not to be said at all.

use serde_json::{Map, Value};

/// Keywords that are copied as they are.
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

/// Formats of strings that are known; others are refused.
const FORMATS: [&str; 9] =
    ["date-time", "time", "date", "duration", "email", "hostname", "ipv4", "ipv6", "uuid"];

/// Formats of numbers: how wide the number is in a program, of which no model has to know.
const WIDTHS: [&str; 14] = [
    "int8", "int16", "int32", "int64", "int128", "int", "uint8", "uint16", "uint32", "uint64",
    "uint128", "uint", "float", "double",
];

/// Keywords that each have a place of their own in the rewriter.
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

/// Keywords that say nothing about a value.
const SILENT: [&str; 3] = ["$schema", "$id", "$comment"];

/// Keywords that describe, and stand in the strict schema as words.
const DESCRIBING: [&str; 5] = ["title", "description", "default", "examples", "deprecated"];

/// Where definitions stand; only those of the root are kept.
pub(super) const DEFINITIONS: [&str; 2] = ["$defs", "definitions"];

/// Why a keyword is refused; what is not listed is not known.
const REASONS: [(&str, &str); 11] = [
    ("allOf", "several schemas at once"),
    ("not", "a negation"),
    ("if", "a condition"),
    ("patternProperties", "a map with free keys"),
    ("propertyNames", "a map with free keys"),
    ("contains", "a list that must contain something"),
    ("dependentSchemas", "properties that depend on each other"),
    ("dependentRequired", "properties that depend on each other"),
    ("minLength", "how long a text is"),
    ("maxLength", "how long a text is"),
    ("uniqueItems", "a list without repetitions"),
];

/// Whether a keyword says what a value is for, and not which values there are.
pub(super) fn is_note(key: &str) -> bool {
    DESCRIBING.contains(&key) || SILENT.contains(&key) || key.starts_with("x-")
}

/// The first keyword of a schema that strict mode cannot say, and what it is.
pub(super) fn unsayable(map: &Map<String, Value>, is_root: bool) -> Option<(&str, &'static str)> {
    map.iter().find_map(|(key, value)| {
        let key = key.as_str();
        let is_known = REWRITTEN.contains(&key) || COPIED.contains(&key) || is_note(key);
        let is_definition = is_root && DEFINITIONS.contains(&key);
        if is_known || is_definition || (key == "format" && is_known_format(value)) {
            return None;
        }
        let reason = REASONS.iter().find(|(other, _)| *other == key);
        Some((key, reason.map_or("a keyword that strict schemas do not have", |(_, why)| why)))
    })
}

fn is_known_format(format: &Value) -> bool {
    format.as_str().is_some_and(|format| FORMATS.contains(&format) || WIDTHS.contains(&format))
}

/// The keywords that are copied as they are.
pub(super) fn copied(map: &Map<String, Value>) -> impl Iterator<Item = (&String, &Value)> {
    map.iter().filter(|(key, value)| {
        let is_format = *key == "format" && FORMATS.iter().any(|known| *value == known);
        COPIED.contains(&key.as_str()) || is_format
    })
}

/// What describes a value: its title, and a description that says its default and examples too.
pub(super) fn notes(map: &Map<String, Value>) -> Map<String, Value> {
    let mut notes = Map::new();
    if let Some(title) = map.get("title") {
        notes.insert("title".to_owned(), title.clone());
    }
    let mut said = Vec::new();
    said.extend(map.get("description").and_then(Value::as_str).map(str::to_owned));
    // A null is what strict mode has for a property that is left out.
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
