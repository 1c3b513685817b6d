//! The treatment of keywords in the strict subset: copied, added to the description, omitted or unsupported.

use serde_json::Value;

/// The supported formats of strings.
const FORMATS: [&str; 10] =
    ["date-time", "date", "time", "duration", "email", "hostname", "uri", "ipv4", "ipv6", "uuid"];

/// Keywords that are copied unchanged.
const COPIED: [&str; 5] = ["title", "description", "default", "enum", "const"];

/// Keywords that do not constrain a value.
const SILENT: [&str; 7] =
    ["$schema", "$id", "$comment", "examples", "deprecated", "readOnly", "writeOnly"];

/// Limits that are not enforced. They are added to the description, and checked afterwards.
const LIMITS: [(&str, &str); 13] = [
    ("minimum", "at least"),
    ("maximum", "at most"),
    ("exclusiveMinimum", "more than"),
    ("exclusiveMaximum", "less than"),
    ("multipleOf", "a multiple of"),
    ("minLength", "characters, at least"),
    ("maxLength", "characters, at most"),
    ("pattern", "matches"),
    ("minItems", "items, at least"),
    ("maxItems", "items, at most"),
    ("uniqueItems", "each item once"),
    ("minProperties", "properties, at least"),
    ("maxProperties", "properties, at most"),
];

/// Keywords that are handled separately.
const REWRITTEN: [&str; 10] = [
    "type",
    "properties",
    "required",
    "additionalProperties",
    "unevaluatedProperties",
    "items",
    "anyOf",
    "oneOf",
    "$defs",
    "definitions",
];

/// The treatment of a keyword.
pub(super) enum Keyword {
    Copied,
    /// Described in these words, followed by its value.
    Limit(&'static str),
    /// Handled separately, or irrelevant.
    Elsewhere,
    Unknown,
}

pub(super) fn classify_keyword(key: &str, value: &Value) -> Keyword {
    let is_format = key == "format" && FORMATS.iter().any(|known| value == known);
    // The only enforced minimum lengths are 0 and 1.
    let is_least = key == "minItems" && value.as_u64().is_some_and(|least| least < 2);
    if COPIED.contains(&key) || is_format || is_least {
        return Keyword::Copied;
    }
    if let Some((_, words)) = LIMITS.iter().find(|(limit, _)| *limit == key) {
        return Keyword::Limit(words);
    }
    let elsewhere = REWRITTEN.contains(&key) || SILENT.contains(&key) || key == "format";
    if elsewhere || key.starts_with("x-") { Keyword::Elsewhere } else { Keyword::Unknown }
}
