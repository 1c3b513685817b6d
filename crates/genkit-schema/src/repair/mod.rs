//! Repair of third-party schemas.
//!
//! Tool lists contain schemas of every draft of JSON Schema, of OpenAPI, and schemas that follow no draft. A single
//! schema must not make a provider or a client reject the whole list. [`repair`] returns a schema that is valid in
//! draft 2020-12 and accepts the values that the author intended:
//!
//! | in the schema | result of the repair |
//! |---|---|
//! | a keyword of drafts 3 to 2019-09: `id`, `extends`, `disallow`, `divisibleBy`, `dependencies`, a list of `items`, boolean `exclusiveMinimum`, `required` inside a property, `$recursiveRef`, `$dynamicRef` | the equivalent keyword of 2020-12 |
//! | `nullable` and `example` of OpenAPI | `null` as a type, `examples` |
//! | `"int"`, `"STRING"`, `"any"` and other names of types | the matching type of JSON Schema, or no `type` |
//! | a keyword whose number or boolean is written as a string | the number or boolean |
//! | a keyword whose value has the wrong JSON type, such as `properties: null` | removed |
//! | an entry of `properties` that is not a schema | a schema that accepts any value |
//! | an array without `items` | `items: {}` |
//! | a number as a string, or a string as a number, in `enum`, `const` and `default` | the value with the right type |
//! | other values in `enum`, `const` and `default` that the type excludes, and repeated values | removed |
//! | a reference to an anchor or to an `$id` | a JSON pointer |
//! | a reference without a target, or only to itself | removed |
//! | `$id`, which would clash with the `$id` of other tools, and anchors that are ambiguous without it | removed |
//!
//! A repair that changes which values are accepted is reported as a [`Loss`].

mod drafts;
mod references;
mod values;

use serde_json::{Map, Value};

use crate::bounds::is_supported_pattern;
use crate::conversion::Loss;
use crate::dialect::position::Position;
use crate::json::pointer;
use values::{KeywordValue, Repair};

/// The maximum nesting of schemas that is repaired. Default is 64; deeper schemas accept any value.
const MAX_DEPTH: usize = 64;

/// The remedy of a keyword with a wrong value.
const CORRECT: &str = "correct it in the schema";

/// A repaired schema.
#[derive(Debug, Clone, PartialEq)]
pub struct Repaired {
    /// The schema.
    pub schema: Value,
    /// The repairs that change which values are accepted.
    pub losses: Vec<Loss>,
}

/// The patterns that a repaired schema keeps.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Patterns {
    /// All patterns, for schemas of this program, whose author can correct them.
    All,
    /// Only the patterns that this library can check, for schemas of other programs.
    Supported,
}

/// Repairs the schema of a value.
pub fn repair(mut schema: Value, patterns: Patterns) -> Repaired {
    let draft = schema.as_object_mut().and_then(|map| map.shift_remove("$schema"));
    let Some(Value::String(draft)) = draft else { return repair_undeclared(schema, patterns) };
    let mut repaired = repair_undeclared(schema.clone(), patterns);
    // A schema that needs no repair keeps the draft that it declares.
    if (draft.contains("/2020-12/") || repaired.schema == schema)
        && let Value::Object(map) = &mut repaired.schema
    {
        map.shift_insert(0, "$schema".to_owned(), draft.into());
    }
    repaired
}

/// Repairs the schema of a tool's arguments, which must be an object.
pub fn repair_arguments(schema: Value, patterns: Patterns) -> Repaired {
    let mut repaired = repair(schema, patterns);
    let Value::Object(map) = &mut repaired.schema else { return repaired };
    if map.get("enum").and_then(Value::as_array).is_some_and(|it| !it.iter().any(Value::is_object))
    {
        map.shift_remove("enum");
        map.entry("type").or_insert_with(|| "object".into());
        repaired.losses.push(Loss {
            pointer: "/enum".to_owned(),
            what: "`enum` has no object, but arguments are objects; the `enum` is removed"
                .to_owned(),
            remedy: CORRECT.to_owned(),
        });
    }
    let has_properties =
        map.get("properties").and_then(Value::as_object).is_some_and(|it| !it.is_empty());
    let kind = match map.get("type") {
        None => return repaired,
        Some(Value::Array(kinds)) if kinds.iter().any(|kind| kind == "object") => None,
        Some(kind) if kind != "object" && has_properties => Some(kind.to_string()),
        Some(_) => return repaired,
    };
    map.insert("type".to_owned(), "object".into());
    if let Some(kind) = kind {
        repaired.losses.push(Loss {
            pointer: "/type".to_owned(),
            what: format!(
                "the type of the arguments is {kind}, although they have properties; it is replaced with `object`"
            ),
            remedy: CORRECT.to_owned(),
        });
    }
    repaired
}

fn repair_undeclared(schema: Value, patterns: Patterns) -> Repaired {
    let mut repairer = Repairer { patterns, path: Vec::new(), losses: Vec::new() };
    let repaired = repairer.repair_schema(schema).unwrap_or_else(|| Value::Object(Map::new()));
    let schema = references::repair_references(repaired, &mut repairer.losses);
    Repaired { schema, losses: repairer.losses }
}

struct Repairer {
    patterns: Patterns,
    /// The path of the schema or keyword that is being repaired.
    path: Vec<String>,
    losses: Vec<Loss>,
}

impl Repairer {
    fn note_loss(&mut self, what: String, remedy: &str) {
        let at = self.path.iter().fold(String::new(), |at, name| pointer::child(&at, name));
        self.losses.push(Loss { pointer: at, what, remedy: remedy.to_owned() });
    }

    /// Repairs a schema. Returns `None` if the value is not a schema.
    fn repair_schema(&mut self, value: Value) -> Option<Value> {
        match value {
            Value::Bool(_) => Some(value),
            Value::Object(map) => {
                let depth =
                    self.path.iter().filter(|name| Position::of_keyword(name) != Position::Data);
                if depth.count() > MAX_DEPTH {
                    self.note_loss(
                        format!(
                            "nested deeper than {MAX_DEPTH} schemas; everything inside is accepted"
                        ),
                        "nest fewer types",
                    );
                    return Some(Value::Object(Map::new()));
                }
                Some(Value::Object(self.repair_map(map)))
            }
            // The name of a type instead of a schema.
            Value::String(name) => {
                let kind = values::known_type(&name)?;
                let schema = kind.map(|kind| ("type".to_owned(), Value::from(kind)));
                Some(Value::Object(self.repair_map(schema.into_iter().collect())))
            }
            _ => None,
        }
    }

    fn repair_map(&mut self, mut map: Map<String, Value>) -> Map<String, Value> {
        let required = drafts::modernize(&mut map);
        let mut repaired = Map::with_capacity(map.len());
        for (keyword, value) in map {
            // Many programs write `null` for an absent keyword.
            if value.is_null() && !matches!(keyword.as_str(), "const" | "default") {
                continue;
            }
            self.path.push(keyword);
            let value = self.repair_keyword(value);
            if let (Some(keyword), Some(value)) = (self.path.pop(), value) {
                repaired.insert(keyword, value);
            }
        }
        if !required.is_empty() {
            let names = repaired.entry("required").or_insert_with(|| Value::Array(Vec::new()));
            if let Value::Array(names) = names {
                let new: Vec<_> = required.into_iter().filter(|it| !names.contains(it)).collect();
                names.extend(new);
            }
        }
        self.match_keywords(&mut repaired);
        repaired
    }

    /// Repairs the value of the keyword at the end of the path. Returns `None` if the keyword is removed.
    fn repair_keyword(&mut self, value: Value) -> Option<Value> {
        let keyword = self.path.last()?.clone();
        match Position::of_keyword(&keyword) {
            Position::Schema => {
                let shown = values::excerpt(&value);
                match self.repair_schema(value) {
                    // Some providers reject a boolean here.
                    Some(Value::Bool(true)) if matches!(keyword.as_str(), "items" | "contains") => {
                        Some(Value::Object(Map::new()))
                    }
                    Some(schema) => Some(schema),
                    None => {
                        self.note_removed(&keyword, &shown, "a schema");
                        None
                    }
                }
            }
            Position::List => {
                let list = match value {
                    Value::Array(list) => list,
                    schema @ (Value::Object(_) | Value::String(_)) => vec![schema],
                    other => {
                        self.note_removed(&keyword, &values::excerpt(&other), "a list of schemas");
                        return None;
                    }
                };
                let mut schemas = Vec::with_capacity(list.len());
                for (index, schema) in list.into_iter().enumerate() {
                    self.path.push(index.to_string());
                    let shown = values::excerpt(&schema);
                    match self.repair_schema(schema) {
                        Some(schema) => schemas.push(schema),
                        None => self.note_removed("the entry", &shown, "a schema"),
                    }
                    self.path.pop();
                }
                (!schemas.is_empty()).then_some(Value::Array(schemas))
            }
            Position::Named => self.repair_named(&keyword, value),
            Position::Data => self.repair_data(&keyword, value),
        }
    }

    fn repair_named(&mut self, keyword: &str, value: Value) -> Option<Value> {
        let named = match value {
            Value::Object(named) => named,
            Value::Array(list) if keyword == "properties" => match values::name_properties(list) {
                Ok(named) => named,
                Err(list) => {
                    let shown = values::excerpt(&Value::Array(list));
                    self.note_removed(keyword, &shown, "an object");
                    return None;
                }
            },
            other => {
                self.note_removed(keyword, &values::excerpt(&other), "an object");
                return None;
            }
        };
        let mut schemas = Map::with_capacity(named.len());
        for (name, schema) in named {
            if keyword == "patternProperties" && !self.keeps_pattern(&name) {
                continue;
            }
            let shown = values::excerpt(&schema);
            self.path.push(name);
            let schema = match self.repair_schema(schema) {
                Some(Value::Bool(true)) => Value::Object(Map::new()),
                Some(schema) => schema,
                None => {
                    let what = format!("{shown} is not a schema, so any value is accepted");
                    self.note_loss(what, CORRECT);
                    Value::Object(Map::new())
                }
            };
            schemas.extend(self.path.pop().map(|name| (name, schema)));
        }
        Some(Value::Object(schemas))
    }

    fn repair_data(&mut self, keyword: &str, value: Value) -> Option<Value> {
        if keyword == "pattern" && !value.as_str().is_some_and(|text| self.keeps_pattern(text)) {
            if !value.is_string() {
                self.note_removed(keyword, &values::excerpt(&value), "a string");
            }
            return None;
        }
        let Some(expected) = KeywordValue::from_keyword(keyword) else { return Some(value) };
        let shown = values::excerpt(&value);
        match expected.repair_value(value) {
            Repair::Kept(value) => Some(value),
            Repair::Changed(value, what) => {
                self.note_loss(format!("`{keyword}`: {what}"), CORRECT);
                Some(value)
            }
            Repair::Meaningless => None,
            Repair::Removed => {
                self.note_removed(keyword, &shown, expected.description());
                None
            }
        }
    }

    fn note_removed(&mut self, keyword: &str, shown: &str, expected: &str) {
        let subject =
            if keyword.contains(' ') { keyword.to_owned() } else { format!("`{keyword}`") };
        self.note_loss(format!("{subject} is {shown}, not {expected}, and is removed"), CORRECT);
    }

    fn keeps_pattern(&mut self, pattern: &str) -> bool {
        if self.patterns == Patterns::All || is_supported_pattern(pattern) {
            return true;
        }
        let what = format!("the pattern {pattern:?} cannot be checked here, and is removed");
        self.note_loss(what, "use a pattern without look-around and back-references");
        false
    }

    /// Repairs combinations of several keywords.
    fn match_keywords(&mut self, map: &mut Map<String, Value>) {
        let types = crate::dialect::listed_types(map).into_iter().map(str::to_owned);
        let types: Vec<String> = types.collect();
        if types.iter().any(|name| name == "array") || map.contains_key("prefixItems") {
            map.entry("items").or_insert_with(|| Value::Object(Map::new()));
        }
        let is_allowed = |value: &Value| {
            types.is_empty() || types.iter().any(|name| values::has_type(value, name))
        };
        let kinds = || types.join(" or ");
        if let Some(Value::Array(listed)) = map.get_mut("enum") {
            for value in listed.iter_mut().filter(|value| !is_allowed(value)) {
                values::convert_scalar(value, &types);
            }
            let before = listed.len();
            if listed.iter().any(is_allowed) {
                listed.retain(is_allowed);
                if listed.len() < before {
                    let what = format!(
                        "`enum` has values that are not of the type {}, which are removed",
                        kinds()
                    );
                    self.note_loss(what, CORRECT);
                }
            } else {
                map.shift_remove("type");
            }
        }
        for keyword in ["const", "default"] {
            let Some(value) = map.get_mut(keyword).filter(|value| !is_allowed(value)) else {
                continue;
            };
            values::convert_scalar(value, &types);
            // Many programs write `null` for an absent default, even if the type excludes it.
            if keyword == "default" && !is_allowed(value) && map.contains_key("type") {
                let is_null = map.shift_remove(keyword) == Some(Value::Null);
                if !is_null {
                    self.note_loss(
                        format!("`default` is not of the type {}, and is removed", kinds()),
                        CORRECT,
                    );
                }
            }
        }
        // Strict validators reject `then` and `else` without `if`, and `if` without them.
        if !map.contains_key("if") {
            map.shift_remove("then");
            map.shift_remove("else");
        } else if !map.contains_key("then") && !map.contains_key("else") {
            map.shift_remove("if");
        }
        if !map.contains_key("contains") {
            map.shift_remove("minContains");
            map.shift_remove("maxContains");
        }
    }
}
