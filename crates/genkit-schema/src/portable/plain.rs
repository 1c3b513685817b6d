//! A fast path for plain schemas, which most fields have. A schema without references and choices
//! has no layers.

use serde_json::{Map, Value};

use super::draft::{Draft, Null, never_schema};
use super::keywords::{self, Class};
use crate::conversion::MAX_DEPTH;

/// The fast path for plain schemas, which stops at the first schema that is not plain.
pub(super) struct Plain {
    /// The total number of schemas so far.
    pub(super) nodes: usize,
    pub(super) max_nodes: usize,
    /// The nesting depth.
    pub(super) depth: usize,
}

/// The parts of a schema, by kind.
#[derive(Default)]
struct Parts<'a> {
    types: Vec<&'a str>,
    is_nullable: bool,
    annotations: Vec<(&'a str, &'a Value)>,
    assertions: Vec<(&'a str, &'a Value)>,
    format: Option<&'a Value>,
    properties: Option<&'a Map<String, Value>>,
    required: Vec<&'a str>,
    rest: Option<&'a Value>,
    items: Option<&'a Value>,
}

impl Plain {
    /// Returns the portable schema of `exact`, identical to the output of the full rewriter. Returns `None` if the full
    /// rewriter is needed: for references, choices, fixed values, losses, and schemas above the limits.
    pub(super) fn rewrite_schema(
        &mut self,
        exact: &Value,
        is_root: bool,
        null: Null,
    ) -> Option<Value> {
        self.nodes += 1;
        if self.nodes > self.max_nodes || self.depth > MAX_DEPTH {
            return None;
        }
        let map = match exact {
            Value::Object(map) => map,
            Value::Bool(false) => return Some(never_schema()),
            Value::Bool(true) => return Some(Value::Object(Map::new())),
            _ => return None,
        };
        let parts = Parts::split_map(map, is_root)?;
        self.depth += 1;
        let schema = self.rewrite_parts(parts, null);
        self.depth -= 1;
        schema
    }

    fn rewrite_parts(&mut self, parts: Parts<'_>, null: Null) -> Option<Value> {
        // A schema with one type is written into one map. Otherwise, the draft determines the order.
        let only = match parts.types[..] {
            [only] if !(parts.is_nullable && null == Null::Needed) => Some(only),
            _ => None,
        };
        let mut annotations = Map::with_capacity(parts.member_count(only));
        annotations.extend(only.map(|only| ("type".to_owned(), only.into())));
        annotations.extend(parts.annotations.iter().copied().map(to_owned_entry));
        let mut assertions = match only {
            Some(_) => std::mem::take(&mut annotations),
            None => Map::new(),
        };
        assertions.extend(parts.assertions.iter().copied().map(to_owned_entry));
        assertions.extend(parts.format.map(|format| to_owned_entry(("format", format))));
        self.rewrite_object(&parts, &mut assertions)?;
        if let Some(items) = parts.items {
            let items = self.rewrite_schema(items, false, Null::Needed)?;
            assertions.insert("items".to_owned(), items);
        } else if only == Some("array") {
            assertions.insert("items".to_owned(), Value::Object(Map::new()));
        }
        if only.is_some() {
            return Some(Value::Object(assertions));
        }
        let nullable = parts.is_nullable;
        let mut draft = Draft { annotations, assertions, nullable, ..Draft::default() };
        draft.set_type(parts.types);
        Some(draft.into_schema(null))
    }

    fn rewrite_object(&mut self, parts: &Parts<'_>, schema: &mut Map<String, Value>) -> Option<()> {
        if let Some(named) = parts.properties {
            let mut properties = Map::with_capacity(named.len());
            for (name, exact) in named {
                let is_required = parts.required.contains(&name.as_str());
                let null = if is_required { Null::Needed } else { Null::Omitted };
                properties.insert(name.clone(), self.rewrite_schema(exact, false, null)?);
            }
            if !parts.required.iter().all(|name| properties.contains_key(*name)) {
                return None;
            }
            schema.insert("properties".to_owned(), Value::Object(properties));
        } else if !parts.required.is_empty() {
            return None;
        }
        if !parts.required.is_empty() {
            schema.insert("required".to_owned(), parts.required.clone().into());
        }
        let rest = match parts.rest {
            None => return Some(()),
            Some(Value::Bool(allowed)) => Value::Bool(*allowed),
            Some(exact) => self.rewrite_schema(exact, false, Null::Needed)?,
        };
        schema.insert("additionalProperties".to_owned(), rest);
        Some(())
    }
}

impl<'a> Parts<'a> {
    fn split_map(map: &'a Map<String, Value>, is_root: bool) -> Option<Self> {
        let mut parts = Self::default();
        for (key, value) in map {
            match keywords::keyword_class(key) {
                // The title of the root is the name of its type.
                Class::Annotation if key == "title" && is_root => {}
                Class::Annotation if key == "default" && value.is_null() => {}
                Class::Annotation => parts.annotations.push((key, value)),
                Class::Assertion => parts.assertions.push((key, value)),
                Class::Scaffold if key == "$schema" => {}
                Class::Ruled => parts.take_keyword(key, value)?,
                _ => return None,
            }
        }
        Some(parts)
    }

    /// Returns the number of members of the resulting map, to allocate exactly: a server keeps one map for each
    /// argument.
    fn member_count(&self, only: Option<&str>) -> usize {
        let annotations = self.annotations.len();
        let Some(only) = only else { return annotations };
        let present = [self.format.is_some(), self.properties.is_some(), self.rest.is_some()];
        let lists = [!self.required.is_empty(), self.items.is_some() || only == "array"];
        let ruled = present.into_iter().chain(lists).filter(|is_there| *is_there).count();
        1 + annotations + self.assertions.len() + ruled
    }

    /// Takes a keyword with its own rule. Returns `None` if the rule needs the full rewriter.
    fn take_keyword(&mut self, key: &str, value: &'a Value) -> Option<()> {
        match (key, value) {
            ("type", Value::String(only)) => self.types.push(only),
            ("type", Value::Array(both)) => {
                // One type or null.
                let (Some(only), 2) = (both.iter().find_map(not_null), both.len()) else {
                    return None;
                };
                if !both.iter().any(|name| name == "null") {
                    return None;
                }
                self.types.push(only);
                self.is_nullable = true;
            }
            ("format", Value::String(name)) => {
                self.format = keywords::is_portable_format(name).then_some(value);
            }
            ("properties", Value::Object(named)) => self.properties = Some(named),
            ("required", Value::Array(names)) => {
                for name in names {
                    let name = name.as_str()?;
                    if !self.required.contains(&name) {
                        self.required.push(name);
                    }
                }
            }
            ("additionalProperties", rest) => self.rest = Some(rest),
            ("items", Value::Object(_) | Value::Bool(true)) => self.items = Some(value),
            _ => return None,
        }
        Some(())
    }
}

fn to_owned_entry((key, value): (&str, &Value)) -> (String, Value) {
    (key.to_owned(), value.clone())
}

fn not_null(name: &Value) -> Option<&str> {
    name.as_str().filter(|name| *name != "null")
}
