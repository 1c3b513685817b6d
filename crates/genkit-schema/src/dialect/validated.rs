//! The form that strict validators accept: each keyword is known, and the schema declares the type of the values that
//! the keyword constrains.

use serde_json::{Map, Value, json};

use crate::dialect::keywords::listed_types;
use crate::dialect::position::Position;
use crate::portable::{applicable_type, is_known_keyword};

/// Returns a schema of draft 2020-12 that ajv compiles in its strict mode. Keywords without an effect are removed.
pub fn to_validated(schema: &Value) -> Value {
    rewrite_schema(schema, &[]).unwrap_or_else(|| json!({ "not": {} }))
}

/// Rewrites a schema of values that have one of the types `outside`, if these are known. Returns `None` if no such value
/// matches.
fn rewrite_schema(schema: &Value, outside: &[String]) -> Option<Value> {
    let Value::Object(map) = schema else { return Some(schema.clone()) };
    let mut map: Map<String, Value> = map
        .iter()
        .filter(|(keyword, value)| is_known(keyword, value))
        .map(|(keyword, value)| (keyword.clone(), value.clone()))
        .collect();
    let types = narrow_types(&mut map, outside)?;
    close_tuple(&mut map);
    for keyword in ["not", "if", "then", "else", "anyOf", "oneOf", "allOf"] {
        let Some(value) = map.get_mut(keyword) else { continue };
        match value {
            Value::Array(branches) => {
                let kept = branches.iter().map(|branch| rewrite_schema(branch, &types));
                *branches = if keyword == "allOf" {
                    kept.map(|it| it.unwrap_or_else(|| json!({ "not": {} }))).collect()
                } else {
                    kept.flatten().collect()
                };
                if branches.is_empty() {
                    return None;
                }
            }
            schema => {
                *schema = rewrite_schema(schema, &types).unwrap_or_else(|| json!({ "not": {} }))
            }
        }
    }
    for (keyword, value) in &mut map {
        match (Position::of_keyword(keyword), value) {
            (Position::Schema, schema)
                if !matches!(keyword.as_str(), "not" | "if" | "then" | "else") =>
            {
                *schema = to_validated(schema);
            }
            (Position::List, Value::Array(list)) if keyword == "prefixItems" => {
                list.iter_mut().for_each(|schema| *schema = to_validated(schema));
            }
            (Position::Named, Value::Object(named)) => {
                named.values_mut().for_each(|schema| *schema = to_validated(schema));
            }
            _ => {}
        }
    }
    declare_required(&mut map);
    Some(Value::Object(split_types(map)))
}

/// Returns whether validators support a keyword and, for `format`, its value.
fn is_known(keyword: &str, value: &Value) -> bool {
    /// The formats of draft 2020-12 that ajv-formats implements.
    const FORMATS: [&str; 16] = [
        "date-time",
        "date",
        "time",
        "duration",
        "email",
        "hostname",
        "ipv4",
        "ipv6",
        "uri",
        "uri-reference",
        "uri-template",
        "json-pointer",
        "relative-json-pointer",
        "regex",
        "uuid",
        "byte",
    ];
    match keyword {
        // References are pointers, and the receiver determines the draft.
        "$anchor" | "$schema" => false,
        "format" => value.as_str().is_some_and(|format| FORMATS.contains(&format)),
        _ => is_known_keyword(keyword),
    }
}

/// Limits the types to the `outside` types, removes keywords that do not apply to any of them, and adds the type that
/// the keywords imply. Returns the types, or `None` if no type remains.
fn narrow_types(map: &mut Map<String, Value>, outside: &[String]) -> Option<Vec<String>> {
    let own: Vec<String> = listed_types(map).into_iter().map(str::to_owned).collect();
    let includes = |types: &[String], kind: &str| {
        types.iter().any(|it| it == kind || (kind == "integer" && it == "number"))
    };
    let mut types = own.clone();
    if own.is_empty() {
        types = outside.to_vec();
    } else if !outside.is_empty() {
        types.retain(|kind| includes(outside, kind));
        // The enclosing schema allows only integers, and this schema allows any number.
        if types.is_empty() && includes(&own, "number") && includes(outside, "integer") {
            types.push("integer".to_owned());
        }
        if types.is_empty() {
            return None;
        }
    }
    if types.is_empty() {
        let mut kinds: Vec<&str> =
            map.keys().filter_map(|keyword| applicable_type(keyword)).collect();
        kinds.dedup();
        if let [first, rest @ ..] = &kinds[..]
            && rest.iter().all(|kind| kind == first)
        {
            map.insert("type".to_owned(), (*first).into());
            return Some(vec![(*first).to_owned()]);
        }
        map.retain(|keyword, _| applicable_type(keyword).is_none());
        return Some(types);
    }
    map.retain(|keyword, _| {
        applicable_type(keyword).is_none_or(|kind| {
            includes(&types, kind) || (kind == "number" && includes(&types, "integer"))
        })
    });
    match &types[..] {
        _ if own.is_empty() || own == types => {}
        [only] => drop(map.insert("type".to_owned(), only.as_str().into())),
        several => drop(map.insert("type".to_owned(), several.into())),
    }
    Some(types)
}

/// Fixes the length of a tuple, unless it has a schema for additional items. In that case, all items become
/// alternatives.
fn close_tuple(map: &mut Map<String, Value>) {
    let Some(Value::Array(tuple)) = map.get("prefixItems") else { return };
    let length = tuple.len();
    let is_open = map.get("items").is_none_or(|rest| *rest == json!({}) || *rest == false);
    if is_open {
        map.insert("minItems".to_owned(), length.into());
        map.insert("maxItems".to_owned(), length.into());
        map.insert("items".to_owned(), false.into());
    } else if let Some(Value::Array(mut alternatives)) = map.shift_remove("prefixItems") {
        alternatives.extend(map.shift_remove("items"));
        map.insert("items".to_owned(), json!({ "anyOf": alternatives }));
    }
}

/// Adds an entry to `properties` for each required name that has none.
fn declare_required(map: &mut Map<String, Value>) {
    let Some(Value::Array(names)) = map.get("required").cloned() else { return };
    let properties = map.entry("properties").or_insert_with(|| Value::Object(Map::new()));
    if let Value::Object(properties) = properties {
        for name in names.iter().filter_map(Value::as_str) {
            properties.entry(name).or_insert_with(|| Value::Object(Map::new()));
        }
    }
}

/// Replaces a list of types with a choice, unless the list contains only one type besides null.
fn split_types(mut map: Map<String, Value>) -> Map<String, Value> {
    let types: Vec<String> = listed_types(&map).into_iter().map(str::to_owned).collect();
    if types.len() < 2 || (types.len() == 2 && types.iter().any(|kind| kind == "null")) {
        return map;
    }
    map.shift_remove("type");
    let specific = map.keys().filter(|keyword| applicable_type(keyword).is_some()).cloned();
    let specific: Vec<String> = specific.collect();
    let mut moved = Map::new();
    for keyword in specific {
        moved.extend(map.shift_remove(&keyword).map(|value| (keyword, value)));
    }
    let branches = types.iter().map(|kind| {
        let of_kind = |keyword: &str| {
            let applied = applicable_type(keyword);
            applied == Some(kind) || (kind == "integer" && applied == Some("number"))
        };
        let mut branch = Map::from_iter([("type".to_owned(), kind.as_str().into())]);
        let own = moved.iter().filter(|(keyword, _)| of_kind(keyword));
        branch.extend(own.map(|(keyword, value)| (keyword.clone(), value.clone())));
        Value::Object(branch)
    });
    let branches: Value = branches.collect();
    if !["anyOf", "oneOf", "allOf", "not", "if"].iter().any(|keyword| map.contains_key(*keyword)) {
        map.insert("anyOf".to_owned(), branches);
        return map;
    }
    let rest = std::mem::take(&mut map);
    map.insert("allOf".to_owned(), json!([{ "anyOf": branches }, rest]));
    map
}
