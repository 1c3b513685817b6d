//! The JSON type that the value of each keyword must have.

use serde_json::{Map, Value, json};

use super::drafts;

/// The maximum length of a value in a message, in characters.
const MAX_SHOWN: usize = 40;

/// The kind of value that a keyword without a schema has.
#[derive(Clone, Copy)]
pub(super) enum KeywordValue {
    Text,
    Number,
    /// A number above zero.
    Step,
    Count,
    Flag,
    Names,
    /// Lists of names, by name.
    NamesByName,
    Types,
    Values,
    Examples,
}

/// The repair of a value.
pub(super) enum Repair {
    Kept(Value),
    /// The repaired value, and a description of the change.
    Changed(Value, String),
    /// No value: the keyword is dropped, because its value excludes nothing.
    Meaningless,
    Removed,
}

impl KeywordValue {
    pub(super) fn from_keyword(keyword: &str) -> Option<Self> {
        Some(match keyword {
            "title" | "description" | "$comment" | "format" | "contentEncoding"
            | "contentMediaType" | "$ref" | "$id" | "$anchor" => Self::Text,
            "minimum" | "maximum" | "exclusiveMinimum" | "exclusiveMaximum" => Self::Number,
            "multipleOf" => Self::Step,
            "minLength" | "maxLength" | "minItems" | "maxItems" | "minProperties"
            | "maxProperties" | "minContains" | "maxContains" => Self::Count,
            "uniqueItems" | "deprecated" | "readOnly" | "writeOnly" => Self::Flag,
            "required" => Self::Names,
            "dependentRequired" => Self::NamesByName,
            "type" => Self::Types,
            "enum" => Self::Values,
            "examples" => Self::Examples,
            _ => return None,
        })
    }

    pub(super) fn description(self) -> &'static str {
        match self {
            Self::Text => "a string",
            Self::Number => "a number",
            Self::Step => "a number above zero",
            Self::Count => "a count",
            Self::Flag => "true or false",
            Self::Names => "a list of names",
            Self::NamesByName => "an object with lists of names",
            Self::Types => "a type of JSON Schema",
            Self::Values => "a list of values",
            Self::Examples => "a list of examples",
        }
    }

    pub(super) fn repair_value(self, value: Value) -> Repair {
        match self {
            Self::Text => match value {
                Value::String(_) => Repair::Kept(value),
                Value::Number(_) | Value::Bool(_) => Repair::Kept(value.to_string().into()),
                Value::Array(lines) if lines.iter().all(Value::is_string) => {
                    let lines: Vec<_> = lines.iter().filter_map(Value::as_str).collect();
                    Repair::Kept(lines.join("\n").into())
                }
                _ => Repair::Removed,
            },
            Self::Number => keep(drafts::number(&value).map(Value::Number)),
            Self::Step => {
                let number = drafts::number(&value);
                keep(number.filter(|it| it.as_f64().is_some_and(|it| it > 0.0)).map(Value::Number))
            }
            Self::Count => keep(count(&value).map(Value::from)),
            Self::Flag => match &value {
                Value::Bool(_) => Repair::Kept(value),
                Value::String(text) if text.eq_ignore_ascii_case("true") => {
                    Repair::Kept(true.into())
                }
                Value::String(text) if text.eq_ignore_ascii_case("false") => {
                    Repair::Kept(false.into())
                }
                _ => Repair::Removed,
            },
            Self::Names => names(value),
            Self::NamesByName => match value {
                Value::Object(all) => {
                    let each = all.into_iter().filter_map(|(name, needs)| match names(needs) {
                        Repair::Kept(needs) | Repair::Changed(needs, _) => Some((name, needs)),
                        Repair::Meaningless | Repair::Removed => None,
                    });
                    Repair::Kept(Value::Object(each.collect()))
                }
                _ => Repair::Removed,
            },
            Self::Types => types(value),
            Self::Values => match value {
                Value::Array(listed) => {
                    let listed = unique(listed);
                    if listed.is_empty() { Repair::Removed } else { Repair::Kept(listed.into()) }
                }
                Value::String(_) | Value::Number(_) | Value::Bool(_) => {
                    Repair::Kept(json!([value]))
                }
                _ => Repair::Removed,
            },
            Self::Examples => match value {
                Value::Array(_) => Repair::Kept(value),
                Value::Null => Repair::Removed,
                one => Repair::Kept(json!([one])),
            },
        }
    }
}

fn keep(value: Option<Value>) -> Repair {
    value.map_or(Repair::Removed, Repair::Kept)
}

#[expect(
    clippy::cast_possible_truncation,
    clippy::cast_sign_loss,
    reason = "a whole number below 1e15"
)]
fn count(value: &Value) -> Option<u64> {
    let number = drafts::number(value)?;
    let whole = number.as_f64().filter(|it| it.fract() == 0.0 && (0.0..1e15).contains(it));
    number.as_u64().or(whole.map(|it| it as u64))
}

fn names(value: Value) -> Repair {
    match value {
        Value::Array(names) => {
            let before = names.len();
            let names: Vec<_> = names.into_iter().filter(Value::is_string).collect();
            let is_shorter = names.len() < before;
            let names = Value::Array(unique(names));
            if is_shorter {
                Repair::Changed(names, "entries that are not names are removed".to_owned())
            } else {
                Repair::Kept(names)
            }
        }
        Value::String(_) => Repair::Kept(json!([value])),
        // In draft 3, a boolean belongs to the enclosing schema.
        Value::Bool(_) => Repair::Kept(json!([])),
        _ => Repair::Removed,
    }
}

fn types(value: Value) -> Repair {
    let (listed, is_list) = match value {
        Value::Array(listed) => (listed, true),
        one => (vec![one], false),
    };
    let mut known = Vec::new();
    let mut unknown = Vec::new();
    for name in &listed {
        match name.as_str().map(known_type) {
            Some(Some(Some(kind))) => known.push(Value::from(kind)),
            // `any`: this type does not exist in JSON Schema and does not exclude any value.
            Some(Some(None)) => return Repair::Meaningless,
            // JSON `null` in a list of types means the type `null`.
            None if name.is_null() && is_list => known.push("null".into()),
            _ => unknown.push(excerpt(name)),
        }
    }
    let mut known = unique(known);
    let kinds = match known.len() {
        0 => return Repair::Removed,
        1 => known.remove(0),
        _ => Value::Array(known),
    };
    if unknown.is_empty() {
        Repair::Kept(kinds)
    } else {
        Repair::Changed(kinds, format!("the unknown type {} is removed", unknown.join(", ")))
    }
}

/// Returns the type of JSON Schema that a name means: `Some(None)` for any type, and `None` if the name is unknown.
pub(super) fn known_type(name: &str) -> Option<Option<&'static str>> {
    Some(Some(match name.trim().to_ascii_lowercase().as_str() {
        "string" | "str" | "text" | "varchar" | "char" | "uuid" | "url" | "uri" | "email"
        | "date" | "datetime" | "date-time" | "timestamp" | "time" | "file" | "binary"
        | "bytes" | "password" | "enum" => "string",
        "integer" | "int" | "int32" | "int64" | "long" | "short" | "uint" | "uint32" | "uint64" => {
            "integer"
        }
        "number" | "float" | "double" | "decimal" | "numeric" => "number",
        "boolean" | "bool" => "boolean",
        "array" | "list" | "tuple" | "set" => "array",
        "object" | "dict" | "map" | "record" | "struct" | "json" => "object",
        "null" | "none" | "nil" | "undefined" => "null",
        "any" | "mixed" | "unknown" | "*" | "" => return Some(None),
        _ => return None,
    }))
}

/// Converts a scalar to one of the types, if a program or YAML wrote it in a different form.
pub(super) fn convert_scalar(value: &mut Value, types: &[String]) {
    let has = |name: &str| types.iter().any(|it| it == name);
    let converted = match value {
        Value::Number(_) | Value::Bool(_) if has("string") => {
            Some(Value::String(value.to_string()))
        }
        Value::String(text) => match text.as_str() {
            "true" if has("boolean") => Some(Value::Bool(true)),
            "false" if has("boolean") => Some(Value::Bool(false)),
            _ => drafts::number(value).map(Value::Number),
        },
        _ => None,
    };
    if let Some(converted) = converted
        && types.iter().any(|name| has_type(&converted, name))
    {
        *value = converted;
    }
}

/// Returns whether a value has a type of JSON Schema.
pub(super) fn has_type(value: &Value, name: &str) -> bool {
    match value {
        Value::Null => name == "null",
        Value::Bool(_) => name == "boolean",
        Value::String(_) => name == "string",
        Value::Array(_) => name == "array",
        Value::Object(_) => name == "object",
        Value::Number(number) => {
            let is_whole = !number.is_f64() || number.as_f64().is_some_and(|it| it.fract() == 0.0);
            name == "number" || (name == "integer" && is_whole)
        }
    }
}

/// Returns properties by name, if each entry of a list has its name in `name`.
pub(super) fn name_properties(list: Vec<Value>) -> Result<Map<String, Value>, Vec<Value>> {
    if !list.iter().all(|entry| entry.get("name").is_some_and(Value::is_string)) {
        return Err(list);
    }
    let named = list.into_iter().filter_map(|mut entry| {
        let name = entry.as_object_mut()?.shift_remove("name")?;
        Some((name.as_str()?.to_owned(), entry))
    });
    Ok(named.collect())
}

fn unique(values: Vec<Value>) -> Vec<Value> {
    let mut known = std::collections::HashSet::new();
    values.into_iter().filter(|value| known.insert(value.to_string())).collect()
}

/// Returns a value for a message, shortened.
pub(super) fn excerpt(value: &Value) -> String {
    match value {
        Value::Array(list) if !list.is_empty() => "a list".to_owned(),
        Value::Object(map) if !map.is_empty() => "an object".to_owned(),
        other => crate::truncate::excerpt(&other.to_string(), MAX_SHOWN),
    }
}
