//! Repair of references: they become JSON pointers to existing schemas.

use std::collections::{HashMap, HashSet};

use serde_json::Value;

use crate::bounds::References;
use crate::conversion::Loss;
use crate::dialect::position::Position;
use crate::json::pointer;

/// The characters that a URI fragment contains unchanged, besides letters and digits (RFC 3986).
const FRAGMENT: &str = "-._~!$&'()*+,;=:@/?";

/// The keywords that name a schema.
const NAMES: [&str; 2] = ["$id", "$anchor"];

/// Replaces references with pointers, and removes references without a target.
pub(super) fn repair_references(mut root: Value, losses: &mut Vec<Loss>) -> Value {
    let mut nodes = Vec::new();
    collect_schemas(&root, String::new(), &mut nodes);
    let has = |keyword: &str| nodes.iter().any(|(schema, _)| schema.get(keyword).is_some());
    if !has("$ref") && !NAMES.iter().any(|keyword| has(keyword)) {
        return root;
    }
    let has_ids = has("$id");
    let has_valid_anchors = has_valid_anchors(&nodes);
    let targets = Targets::new(&root, &nodes);
    let mut changes = Vec::new();
    for (schema, at) in &nodes {
        let Some(reference) = schema.get("$ref").and_then(Value::as_str) else { continue };
        let found =
            targets.find_pointer(schema, reference).filter(|found| !targets.is_cycle(found));
        if found.as_deref() != pointer::from_reference(reference).as_deref() || found.is_none() {
            changes.push((at.clone(), reference.to_owned(), found));
        }
    }
    for (at, reference, found) in changes {
        let Some(Value::Object(map)) = root.pointer_mut(&at) else { continue };
        match found {
            Some(found) => drop(map.insert("$ref".to_owned(), encode_fragment(&found).into())),
            None => {
                map.shift_remove("$ref");
                let reference = crate::truncate::excerpt(&reference, 100);
                losses.push(Loss {
                    pointer: at,
                    what: format!("the reference {reference:?} does not lead to a schema in this document, so any value is accepted"),
                    remedy: "include the schema under `$defs`".to_owned(),
                });
            }
        }
    }
    if has_ids || !has_valid_anchors {
        remove_names(&mut root);
    }
    root
}

/// Returns whether each anchor follows the syntax of JSON Schema and occurs once.
fn has_valid_anchors(nodes: &[(&Value, String)]) -> bool {
    let mut seen = HashSet::new();
    let mut anchors = nodes.iter().filter_map(|(schema, _)| schema.get("$anchor"));
    anchors.all(|anchor| {
        let anchor = anchor.as_str().unwrap_or_default();
        let starts_well = anchor.starts_with(|c: char| c.is_ascii_alphabetic() || c == '_');
        let is_part = |c: char| c.is_ascii_alphanumeric() || "-._".contains(c);
        starts_well && anchor.chars().all(is_part) && seen.insert(anchor)
    })
}

struct Targets<'a> {
    root: &'a Value,
    references: References<'a>,
    /// The pointers of schemas, by address.
    pointers: HashMap<usize, &'a str>,
}

impl<'a> Targets<'a> {
    fn new(root: &'a Value, nodes: &'a [(&'a Value, String)]) -> Self {
        let pointers = nodes.iter().map(|(schema, at)| (address(schema), at.as_str()));
        Self { root, references: References::for_schema(root, false), pointers: pointers.collect() }
    }

    /// Returns the pointer of the schema that `reference` in the schema `from` refers to.
    fn find_pointer(&self, from: &'a Value, reference: &str) -> Option<String> {
        let (target, at) = self.references.find_target(from, reference)?;
        match target {
            Value::Object(_) => match self.pointers.get(&address(target)) {
                Some(at) => Some((*at).to_owned()),
                // A schema under a keyword that JSON Schema does not define, such as `components`.
                None => self.root.pointer(&at).is_some_and(Value::is_object).then_some(at),
            },
            Value::Bool(_) => self.root.pointer(&at).is_some_and(Value::is_boolean).then_some(at),
            _ => None,
        }
    }

    /// Returns whether the references from a schema form a cycle.
    fn is_cycle(&self, pointer: &str) -> bool {
        let mut at = pointer.to_owned();
        for _ in 0..=self.pointers.len() {
            let Some(schema) = self.root.pointer(&at) else { return false };
            let Some(reference) = schema.get("$ref").and_then(Value::as_str) else { return false };
            match self.find_pointer(schema, reference) {
                Some(next) => at = next,
                None => return false,
            }
        }
        true
    }
}

fn address(schema: &Value) -> usize {
    std::ptr::from_ref(schema).addr()
}

/// Collects the schemas that are objects, with their pointers.
fn collect_schemas<'a>(schema: &'a Value, at: String, nodes: &mut Vec<(&'a Value, String)>) {
    let Value::Object(map) = schema else { return };
    for (keyword, value) in map {
        let place = || pointer::child(&at, keyword);
        match (Position::of_keyword(keyword), value) {
            (Position::Schema, schema) => collect_schemas(schema, place(), nodes),
            (Position::List, Value::Array(list)) => {
                for (index, schema) in list.iter().enumerate() {
                    collect_schemas(schema, pointer::element(&place(), index), nodes);
                }
            }
            (Position::Named, Value::Object(named)) => {
                for (name, schema) in named {
                    collect_schemas(schema, pointer::child(&place(), name), nodes);
                }
            }
            _ => {}
        }
    }
    nodes.push((schema, at));
}

fn remove_names(schema: &mut Value) {
    let Value::Object(map) = schema else { return };
    for keyword in NAMES {
        map.shift_remove(keyword);
    }
    for (keyword, value) in map.iter_mut() {
        match (Position::of_keyword(keyword), value) {
            (Position::Schema, schema) => remove_names(schema),
            (Position::List, Value::Array(list)) => list.iter_mut().for_each(remove_names),
            (Position::Named, Value::Object(named)) => named.values_mut().for_each(remove_names),
            _ => {}
        }
    }
}

fn encode_fragment(pointer: &str) -> String {
    let mut reference = String::from("#");
    for byte in pointer.bytes() {
        let c = char::from(byte);
        if c.is_ascii_alphanumeric() || FRAGMENT.contains(c) {
            reference.push(c);
        } else {
            reference.push_str(&format!("%{byte:02X}"));
        }
    }
    reference
}
