//! Rewriting of an exact schema to a strict one.

use std::collections::HashSet;

use serde_json::{Map, Value, json};

use super::keywords::{DEFINITIONS, copied_keywords, is_note, kept_notes, unsupported_keyword};
use super::nullable::make_nullable;
use genkit_schema::internal::dialect::{
    StrictDialectRewriter, TraversalLimits, check_required, find_choice, fixed_values,
    is_definition, merge_schemas, resolve_reference, rewrite_list, rewrite_named, tuple_items,
    unsupported_part,
};
use genkit_schema::internal::{pointer, types_of};

/// The maximum number of schemas within a strict one. Default is 5,000, which is OpenAI's limit on
/// properties.
pub(super) const MAX_SCHEMAS: usize = 5_000;

/// A rewriter of one schema to its strict form.
pub(super) struct StrictRewriter<'a> {
    exact: &'a Value,
    limits: TraversalLimits,
    /// The pointers of the definitions that are being inlined.
    merging: Vec<String>,
}

impl<'a> StrictRewriter<'a> {
    pub(super) fn new(exact: &'a Value) -> Self {
        Self { exact, limits: TraversalLimits::new(MAX_SCHEMAS), merging: Vec::new() }
    }
}

impl StrictDialectRewriter for StrictRewriter<'_> {
    const ANYTHING: &'static str = "a schema that accepts any value";

    fn limits(&mut self) -> &mut TraversalLimits {
        &mut self.limits
    }

    fn rewrite_map(
        &mut self,
        map: &Map<String, Value>,
        at: &str,
    ) -> Result<Map<String, Value>, String> {
        if let Some((key, what)) = unsupported_keyword(map, at.is_empty()) {
            return Err(unsupported_part(&pointer::child(at, key), what));
        }
        if let Some(reference) = map.get("$ref") {
            return self.rewrite_reference(reference, map, at);
        }
        let mut strict = Map::new();
        if let Some((key, branches)) = find_choice(map) {
            self.rewrite_choice(key, branches, map, at, &mut strict)?;
        } else {
            self.rewrite_typed(map, at, &mut strict)?;
        }
        Ok(strict)
    }
}

impl StrictRewriter<'_> {
    /// Puts annotations around a reference and merges constraints with its target, because a reference cannot have
    /// siblings.
    fn rewrite_reference(
        &mut self,
        reference: &Value,
        map: &Map<String, Value>,
        at: &str,
    ) -> Result<Map<String, Value>, String> {
        let Some((target, pointer)) = resolve_reference(self.exact, reference) else {
            return Err(unsupported_part(
                at,
                &format!("{reference} does not exist in this schema"),
            ));
        };
        if map.keys().any(|key| key != "$ref" && !is_note(key)) {
            if self.merging.contains(&pointer) {
                return Err(unsupported_part(
                    at,
                    "the schema is recursive, with more properties at each level",
                ));
            }
            if let Some(key) = find_contradiction(target, map) {
                return Err(unsupported_part(
                    &pointer::child(at, key),
                    "a constraint that differs from the constraint of the reference",
                ));
            }
            self.merging.push(pointer);
            // The depth is counted, because a schema may be inlined within itself.
            let mut whole = merge_schemas(target, map);
            whole.retain(|key, _| !DEFINITIONS.contains(&key.as_str()));
            let strict = self.rewrite_schema(&Value::Object(whole), at);
            self.merging.pop();
            return strict.map(|strict| strict.as_object().cloned().unwrap_or_default());
        }
        // A schema in another location may be rewritten differently: as nullable, or inlined.
        if !is_definition(&pointer) && !pointer.is_empty() {
            return Err(unsupported_part(at, &format!("{reference} is not a definition")));
        }
        let alone = json!({ "$ref": reference });
        let mut strict = kept_notes(map);
        if strict.is_empty() {
            return Ok(alone.as_object().cloned().unwrap_or_default());
        }
        strict.insert("anyOf".to_owned(), Value::Array(vec![alone]));
        Ok(strict)
    }

    fn rewrite_choice(
        &mut self,
        key: &str,
        branches: &[Value],
        map: &Map<String, Value>,
        at: &str,
        strict: &mut Map<String, Value>,
    ) -> Result<(), String> {
        // A type next to the choice is redundant if every branch has it.
        let is_said = |siblings: &Value| {
            let has_it = |branch: &Value| branch.get("type").is_some_and(|kind| kind == siblings);
            branches.iter().all(has_it)
        };
        let limits = map.iter().find(|(other, value)| {
            *other != key && !is_note(other) && !(*other == "type" && is_said(value))
        });
        if let Some((other, _)) = limits {
            return Err(unsupported_part(
                &pointer::child(at, other),
                "a choice next to other keywords",
            ));
        }
        let at = pointer::child(at, key);
        let any = rewrite_list(branches, &at, |branch, at| self.rewrite_schema(branch, at))?;
        *strict = kept_notes(map);
        strict.insert("anyOf".to_owned(), Value::Array(any));
        Ok(())
    }

    fn rewrite_typed(
        &mut self,
        map: &Map<String, Value>,
        at: &str,
        strict: &mut Map<String, Value>,
    ) -> Result<(), String> {
        let kind = match map.get("type") {
            Some(written) => written.clone(),
            None => {
                let values = fixed_values(map).unwrap_or_default();
                match &types_of(&values)[..] {
                    [] if map.contains_key("properties") => json!("object"),
                    [] if map.contains_key("items") => json!("array"),
                    [] => {
                        return Err(unsupported_part(at, "a schema that accepts any value"));
                    }
                    [only] => json!(only),
                    several => json!(several),
                }
            }
        };
        strict.insert("type".to_owned(), kind.clone());
        strict.extend(kept_notes(map));
        strict.extend(copied_keywords(map).map(|(key, value)| (key.clone(), value.clone())));
        let is = |name: &str| {
            kind == name || kind.as_array().is_some_and(|all| all.iter().any(|one| one == name))
        };
        if is("object") {
            self.rewrite_object(map, at, strict)?;
        }
        if is("array") {
            self.rewrite_items(map, at, strict)?;
        }
        Ok(())
    }

    fn rewrite_object(
        &mut self,
        map: &Map<String, Value>,
        at: &str,
        strict: &mut Map<String, Value>,
    ) -> Result<(), String> {
        for key in ["additionalProperties", "unevaluatedProperties"] {
            if map.get(key).is_some_and(|rest| *rest != Value::Bool(false)) {
                return Err(unsupported_part(
                    &pointer::child(at, key),
                    "a map with arbitrary keys",
                ));
            }
        }
        let is_closed = map.get("additionalProperties") == Some(&Value::Bool(false));
        if !map.contains_key("properties") && !is_closed && !at.is_empty() {
            return Err(unsupported_part(at, "an object with arbitrary keys"));
        }
        let required = map.get("required").and_then(Value::as_array).map_or(&[][..], Vec::as_slice);
        let is_required: HashSet<&str> = required.iter().filter_map(Value::as_str).collect();
        let at = pointer::child(at, "properties");
        let properties = rewrite_named(map.get("properties"), &at, |name, exact, at| {
            let schema = self.rewrite_schema(exact, at)?;
            Ok(if is_required.contains(name) { schema } else { make_nullable(schema) })
        })?;
        check_required(required, &properties, &at)?;
        let names: Vec<_> = properties.keys().cloned().collect();
        strict.insert("properties".to_owned(), Value::Object(properties));
        strict.insert("required".to_owned(), names.into());
        strict.insert("additionalProperties".to_owned(), Value::Bool(false));
        Ok(())
    }

    fn rewrite_items(
        &mut self,
        map: &Map<String, Value>,
        at: &str,
        strict: &mut Map<String, Value>,
    ) -> Result<(), String> {
        let (exact, at) = match tuple_items(map).as_deref() {
            Some([(_, only)]) => {
                close_tuple(map, only, strict).map_err(|why| unsupported_part(at, why))?;
                (*only, pointer::element(&pointer::child(at, "prefixItems"), 0))
            }
            Some(_) => {
                return Err(unsupported_part(
                    &pointer::child(at, "prefixItems"),
                    "a list whose items have different types",
                ));
            }
            None => match map.get("items") {
                Some(items) => (items, pointer::child(at, "items")),
                // An array that is always empty.
                None if map.get("maxItems") == Some(&json!(0)) => {
                    strict.insert("items".to_owned(), json!({ "type": "null" }));
                    return Ok(());
                }
                None => return Err(unsupported_part(at, "a list without `items`")),
            },
        };
        let items = self.rewrite_schema(exact, &at)?;
        strict.insert("items".to_owned(), items);
        Ok(())
    }
}

/// Returns a keyword next to a reference that contradicts the target of the reference.
fn find_contradiction<'a>(
    target: &Map<String, Value>,
    siblings: &'a Map<String, Value>,
) -> Option<&'a String> {
    let differs = |key: &str, value: &Value| match (key, target.get(key), value) {
        (_, None, _) | ("required", Some(_), _) => false,
        ("properties", Some(Value::Object(all)), Value::Object(more)) => {
            more.iter().any(|(name, schema)| all.get(name).is_some_and(|other| other != schema))
        }
        (_, Some(other), value) => other != value,
    };
    let found = siblings.iter().find(|(key, value)| !is_note(key) && differs(key, value));
    found.map(|(key, _)| key)
}

/// Limits the length of a list whose items all have the same type to the length of the tuple, if the
/// tuple is closed.
fn close_tuple(
    map: &Map<String, Value>,
    kind: &Value,
    strict: &mut Map<String, Value>,
) -> Result<(), &'static str> {
    let places = map.get("prefixItems").and_then(Value::as_array).map_or(0, Vec::len);
    let most = map.get("maxItems").and_then(Value::as_u64);
    let ends = most.is_some_and(|most| most <= places as u64);
    match map.get("items") {
        Some(Value::Bool(false)) if !ends => {
            strict.insert("maxItems".to_owned(), places.into());
        }
        Some(rest) if ends || rest == kind => {}
        None if ends => {}
        _ => return Err("a list that continues with items of another type"),
    }
    Ok(())
}
