//! Keywords as the strict subset takes them: copied, said in words, left out, or not to be said at all.

use serde_json::Value;

/// Formats of texts that are bound.
const FORMATS: [&str; 10] =
    ["date-time", "date", "time", "duration", "email", "hostname", "uri", "ipv4", "ipv6", "uuid"];

/// Keywords that are copied as they are.
const COPIED: [&str; 5] = ["title", "description", "default", "enum", "const"];

/// Keywords that say nothing about a value.
const SILENT: [&str; 7] =
    ["$schema", "$id", "$comment", "examples", "deprecated", "readOnly", "writeOnly"];

/// Limits that are not bound: they are said in the description, and checked afterwards.
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

/// Keywords that each have a place of their own.
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

/// What becomes of a keyword.
pub(super) enum Keyword {
    Copied,
    /// Said in these words, with its value after them.
    Limit(&'static str),
    /// Written in another place, or of no matter.
    Elsewhere,
    Unknown,
}

pub(super) fn keyword(key: &str, value: &Value) -> Keyword {
    let is_format = key == "format" && FORMATS.iter().any(|known| value == known);
    // Whether a list may be empty is all that is bound of its length.
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
