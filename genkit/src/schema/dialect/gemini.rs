//! Schemas of Gemini: nearly all of JSON Schema in the newer fields, a subset of OpenAPI in the older ones.

mod typed;
mod walk;

use serde_json::{Map, Value, json};

use super::{
    Degraded, Holds, MAX_DEPTH, MAX_NODES, choice, fixed, holds, kinds, merged, pointer, resolve,
    types, types_of,
};
use walk::Walk;

/// How many references inside each other are written out, tried in this order, for a subset that is too large.
const FALLBACK_REFERENCES: [usize; 5] = [8, 4, 2, 1, 0];

/// For `parametersJsonSchema` and `responseJsonSchema`: as it is, without `$schema` and without formats that only
/// schemars knows. Schemas that are `true` become empty ones.
pub(crate) fn gemini_json(exact: &Value) -> Value {
    let Value::Object(map) = exact else {
        return if *exact == Value::Bool(true) { json!({}) } else { exact.clone() };
    };
    let mut kept = Map::new();
    for (key, value) in map {
        let is_made_up = key == "format" && !value.as_str().is_some_and(is_standard_format);
        if key == "$schema" || is_made_up {
            continue;
        }
        let value = match (holds(key), value) {
            // A boolean is common here, and known.
            (Holds::Schema, Value::Bool(_)) => value.clone(),
            (Holds::Schema, schema) => gemini_json(schema),
            (Holds::List, Value::Array(list)) => list.iter().map(gemini_json).collect(),
            (Holds::Named, Value::Object(named)) => {
                let each = named.iter().map(|(name, schema)| (name.clone(), gemini_json(schema)));
                Value::Object(each.collect())
            }
            _ => value.clone(),
        };
        kept.insert(key.clone(), value);
    }
    // There, but not as `items: true`.
    if let Some(items @ Value::Bool(true)) = kept.get_mut("items") {
        *items = json!({});
    }
    Value::Object(kept)
}

/// Whether a `format` is in JSON Schema or in OpenAPI.
fn is_standard_format(format: &str) -> bool {
    const STANDARD: [&str; 26] = [
        "date-time",
        "date",
        "time",
        "duration",
        "email",
        "idn-email",
        "hostname",
        "idn-hostname",
        "ipv4",
        "ipv6",
        "uri",
        "uri-reference",
        "uri-template",
        "iri",
        "iri-reference",
        "uuid",
        "json-pointer",
        "relative-json-pointer",
        "regex",
        "int32",
        "int64",
        "float",
        "double",
        "byte",
        "binary",
        "password",
    ];
    STANDARD.contains(&format)
}

/// For `parameters` and `responseSchema`, the only fields that older models read, and what these cannot say.
///
/// References are written out, and cut where they go in circles or where the whole becomes too large. The pointers of
/// what is merged from two places are those of the second, which a reference names.
pub(crate) fn gemini_subset(exact: &Value) -> (Value, Vec<Degraded>) {
    let mut limits = std::iter::once(MAX_DEPTH).chain(FALLBACK_REFERENCES);
    limits
        .find_map(|references| {
            let mut walk = Walk::new(exact, references);
            let subset = walk.schema(exact, "");
            // Without references there is no smaller form.
            walk.finish(references == 0).map(|degraded| (subset, degraded))
        })
        .unwrap_or_default()
}
