//! Choices: `anyOf` and `oneOf`; and conjunctions: `allOf`.

use serde_json::{Map, Value};

use super::draft::{Draft, Null, never_schema};
use super::enums;
use super::flat::{Flat, is_null};
use super::keywords::{self, Class};
use super::rewriter::PortableRewriter;
use crate::json::pointer;

impl<'a> PortableRewriter<'a> {
    /// Rewrites the choices of a schema. `oneOf` becomes `anyOf`, which more clients support and which accepts at least
    /// as much.
    pub(super) fn rewrite_unions(&mut self, flat: &Flat<'a>, types: &[&str], draft: &mut Draft) {
        for key in ["anyOf", "oneOf"] {
            for (branches, layer) in flat.all_values(key) {
                let at = pointer::child(layer, key);
                let mut rewritten = Vec::new();
                for (index, branch) in branches.as_array().into_iter().flatten().enumerate() {
                    if is_null(branch) {
                        draft.nullable |= types.is_empty();
                        continue;
                    }
                    let schema =
                        self.rewrite_schema(branch, &pointer::element(&at, index), Null::Needed);
                    add_branch(schema, &mut rewritten);
                }
                place_branches(enums::fold_values(rewritten), draft);
            }
        }
        for (parts, layer) in flat.all_values("allOf") {
            let at = pointer::child(layer, "allOf");
            for (index, part) in parts.as_array().into_iter().flatten().enumerate() {
                let schema = self.rewrite_schema(part, &pointer::element(&at, index), Null::Needed);
                if schema != Value::Object(Map::new()) {
                    draft.add_all(schema);
                }
            }
        }
    }
}

/// Adds a branch. A nested choice is flattened; impossible and duplicate branches are omitted.
pub(super) fn add_branch(schema: Value, branches: &mut Vec<Value>) {
    if let Value::Object(map) = &schema
        && map.len() == 1
        && let Some(Value::Array(inner)) = map.get("anyOf")
    {
        for branch in inner {
            add_branch(branch.clone(), branches);
        }
    } else if schema != never_schema() && !branches.contains(&schema) {
        branches.push(schema);
    }
}

/// Adds a choice to a schema.
fn place_branches(branches: Vec<Value>, draft: &mut Draft) {
    let only = match <[Value; 1]>::try_from(branches) {
        Ok([only]) => only,
        Err(none) if none.is_empty() => {
            draft.never = true;
            return;
        }
        Err(several) => return draft.add_union(several),
    };
    let is_list = enums::foldable_type(&only).is_some();
    let Value::Object(mut only) = only else {
        return;
    };
    // The description of the values is appended to the description of the enum.
    if is_list && let Some(Value::String(remark)) = only.remove("description") {
        draft.remarks.push(remark);
    }
    let clashes = |(key, value): (&String, &Value)| {
        draft.assertions.get(key).is_some_and(|other| other != value)
    };
    if only.iter().any(clashes) {
        return draft.add_all(Value::Object(only));
    }
    for (key, value) in only {
        let is_annotation = keywords::keyword_class(&key) == Class::Annotation;
        let part = if is_annotation { &mut draft.annotations } else { &mut draft.assertions };
        part.entry(key).or_insert(value);
    }
}
