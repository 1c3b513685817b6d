//! Flattening of one schema: follows references, and choices with one branch.

use serde_json::{Map, Value};

use super::flat::{Cut, Flat, Layer, is_null};
use super::keywords::{self, Class};
use super::rewriter::PortableRewriter;
use crate::conversion::MAX_DEPTH;
use crate::json::pointer;

impl<'a> PortableRewriter<'a> {
    /// Flattens a schema. The references that were followed stay on the stack.
    pub(super) fn flatten_schema(&mut self, map: &'a Map<String, Value>, at: &str) -> Flat<'a> {
        let mut flat = Flat {
            layers: vec![Layer::new(map, at.to_owned())],
            cut: None,
            nullable: false,
            never: false,
        };
        while self.add_layer(&mut flat) {}
        self.note_conflicts(&flat);
        flat
    }

    /// Adds the layer that the last layer refers to. Returns whether there may be more layers.
    fn add_layer(&mut self, flat: &mut Flat<'a>) -> bool {
        let Some(last) = flat.layers.last_mut() else {
            return false;
        };
        if let Some(reference) = last.get_keyword("$ref") {
            let at = last.at.clone();
            return self.follow_reference(reference, &at, flat);
        }
        for key in ["anyOf", "oneOf", "allOf"] {
            let Some(branches) = last.get_keyword(key).and_then(Value::as_array) else {
                continue;
            };
            let mut others = branches.iter().enumerate().filter(|(_, branch)| !is_null(branch));
            let (Some((index, only)), None) = (others.next(), others.next()) else {
                continue;
            };
            let has_null = branches.len() > 1;
            // Do not flatten an `anyOf` or `oneOf` with one branch and no null: it is an enum with one variant, and the
            // description of the branch documents that variant.
            if has_null == (key == "allOf") {
                continue;
            }
            last.without = Some(key);
            let at = pointer::element(&pointer::child(&last.at, key), index);
            flat.nullable |= has_null;
            return add_target(only, at, None, flat);
        }
        false
    }

    fn follow_reference(&mut self, reference: &'a Value, at: &str, flat: &mut Flat<'a>) -> bool {
        let found = reference
            .as_str()
            .and_then(pointer::from_reference)
            .and_then(|pointer| Some((self.exact.pointer(&pointer)?, pointer)));
        let Some((target, pointer)) = found else {
            let what = format!("{reference} does not point into this schema");
            self.note_loss(at, what, "refer to a definition under `$defs`");
            flat.cut = Some(Cut { target: None, again: None });
            return false;
        };
        let name = pointer::name(&pointer);
        if self.references.contains(&pointer) {
            let title = || Some(self.exact.get("title")?.as_str()?.to_owned());
            let again = name.or_else(title).unwrap_or_else(|| "schema".to_owned());
            let what = format!("`{again}` contains itself and is cut at the first recursion");
            self.note_loss(at, what, "deeply nested values are still accepted; if they are common, use a flat list with ids");
            flat.cut = Some(Cut { target: Some(target), again: Some(again) });
            return false;
        }
        // The root itself is on the stack from the start.
        let is_too_deep = self.references.len() > self.max_references || self.depth >= MAX_DEPTH;
        if is_too_deep && !is_leaf(target) {
            let name = name.unwrap_or_default();
            let what = format!(
                "`{name}` is cut here, since the schema with all references inlined is too large or too deep"
            );
            self.note_loss(at, what, "split the function into several, or nest fewer types");
            flat.cut = Some(Cut { target: Some(target), again: None });
            return false;
        }
        self.references.push(pointer.clone());
        add_target(target, pointer, name, flat)
    }

    /// Reports keywords that occur twice with different values. Only one value is kept.
    fn note_conflicts(&mut self, flat: &Flat<'a>) {
        for (key, value, at) in flat.keyword_entries() {
            let class = keywords::keyword_class(key);
            let single = matches!(class, Class::Assertion | Class::Schema | Class::Schemas)
                || matches!(
                    key,
                    "type"
                        | "enum"
                        | "const"
                        | "format"
                        | "items"
                        | "prefixItems"
                        | "additionalProperties"
                );
            if single && flat.all_values(key).any(|(other, _)| other != value) {
                let what = format!(
                    "`{key}` occurs both next to a reference and in the target of the reference; the value next to the \
                     reference is kept"
                );
                self.note_loss(at, what, "write the keyword only once");
            }
        }
    }
}

fn add_target<'a>(
    target: &'a Value,
    at: String,
    definition: Option<String>,
    flat: &mut Flat<'a>,
) -> bool {
    match target {
        Value::Object(map) => {
            flat.layers.push(Layer { definition, ..Layer::new(map, at) });
            true
        }
        other => {
            flat.never |= other == &Value::Bool(false);
            false
        }
    }
}

/// Returns whether a schema has no nested schemas, so that cutting it would not make it smaller.
fn is_leaf(schema: &Value) -> bool {
    let Some(map) = schema.as_object() else {
        return true;
    };
    map.iter().all(|(key, value)| match key.as_str() {
        "anyOf" | "oneOf" => value.as_array().is_some_and(|all| all.iter().all(is_leaf)),
        "$ref" | "properties" | "items" | "prefixItems" | "allOf" => false,
        key => {
            !matches!(keywords::keyword_class(key), Class::Schema | Class::Schemas)
                && !key.ends_with("Properties")
        }
    })
}
