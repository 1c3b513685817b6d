//! Random JSON Schemas: of every draft, with keywords in the wrong places and values of the wrong types.

use serde_json::{Map, Value, json};

use crate::fuzz::Rng;

/// Keywords of every draft, and words that are none.
const KEYWORDS: [&str; 34] = [
    "type",
    "properties",
    "required",
    "items",
    "additionalItems",
    "enum",
    "const",
    "anyOf",
    "oneOf",
    "allOf",
    "not",
    "if",
    "then",
    "$ref",
    "$id",
    "id",
    "$anchor",
    "$defs",
    "definitions",
    "dependencies",
    "extends",
    "disallow",
    "divisibleBy",
    "minimum",
    "exclusiveMinimum",
    "maxLength",
    "pattern",
    "format",
    "nullable",
    "description",
    "default",
    "example",
    "patternProperties",
    "prefixItems",
];

/// Returns a value that occurs in published schemas, in the right place or in another.
pub fn value(rng: &mut Rng, depth: usize) -> Value {
    let words = [
        "string",
        "int",
        "any",
        "object",
        "array",
        "#",
        "#/$defs/a",
        "#/definitions/gone",
        "#a",
        "true",
        "3",
        "(",
        "date-time",
        "https://example.com/s.json",
        "",
    ];
    match rng.below(if depth == 0 { 5 } else { 9 }) {
        0 => Value::Null,
        1 => json!(rng.chance(50)),
        2 => json!(rng.below(9)),
        3 => json!(2.5),
        4 => json!(rng.pick(&words)),
        5 => (0..rng.below(4)).map(|_| value(rng, depth - 1)).collect(),
        6 => named(rng, depth - 1),
        _ => schema(rng, depth - 1),
    }
}

/// Returns values by names that occur as names of properties.
pub fn named(rng: &mut Rng, depth: usize) -> Value {
    let names = ["a", "$top", "filter[x]", "@odata.type", "1st", "", "type", "a b"];
    let each = (0..rng.below(4)).map(|_| ((*rng.pick(&names)).to_owned(), value(rng, depth)));
    each.collect::<Map<_, _>>().into()
}

/// Returns a schema of any draft, or of none, which may contain `depth` further levels.
pub fn schema(rng: &mut Rng, depth: usize) -> Value {
    let each = (0..rng.below(5)).map(|_| {
        let keyword = *rng.pick(&KEYWORDS);
        let is_named =
            matches!(keyword, "properties" | "$defs" | "definitions" | "patternProperties");
        let value = if is_named && rng.chance(80) { named(rng, depth) } else { value(rng, depth) };
        (keyword.to_owned(), value)
    });
    each.collect::<Map<_, _>>().into()
}
