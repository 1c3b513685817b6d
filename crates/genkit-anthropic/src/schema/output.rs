//! Converts an exact schema to the strict subset for output, or reports why this is impossible.

use serde_json::{Map, Value, json};

use super::keywords::{Keyword, classify_keyword};
use genkit_schema::internal::conversion::MAX_NODES;
use genkit_schema::internal::dialect::{
    StrictDialectRewriter, TraversalLimits, check_required, find_choice, is_definition,
    listed_types, merge_schemas, resolve_reference, rewrite_list, rewrite_named, unsupported_part,
};
use genkit_schema::internal::pointer;

/// The maximum number of optional properties in all objects.
const MAX_OPTIONAL: usize = 24;

/// The maximum number of values with several types.
const MAX_UNIONS: usize = 16;

/// Returns the strict schema, and the pointers of limits that are not enforced. The error describes
/// the first unsupported part.
pub(super) fn rewrite_strict(exact: &Value) -> Result<(Value, Vec<String>), String> {
    let mut rewriter = OutputRewriter::new(exact);
    let mut schema = rewriter.rewrite_schema(exact, "")?;
    if schema.get("type").is_none() && schema.get("anyOf").is_none() && schema.get("$ref").is_none()
    {
        return Err(unsupported_part("", "a schema that accepts any value"));
    }
    for key in ["$defs", "definitions"] {
        let Some(definitions) = exact.get(key).and_then(Value::as_object) else { continue };
        let at = pointer::child("", key);
        let mut written = Map::new();
        for (name, definition) in definitions {
            let place = pointer::child(&at, name);
            // An unused definition does no harm, and must not cause an error.
            if rewriter.named.contains(&place) {
                rewriter.inside.push(place.clone());
                written.insert(name.clone(), rewriter.rewrite_schema(definition, &place)?);
                rewriter.inside.pop();
            }
        }
        if !written.is_empty() {
            schema[key] = written.into();
        }
    }
    if rewriter.optional > MAX_OPTIONAL {
        let what = format!(
            "{} properties are optional, but at most {MAX_OPTIONAL} are supported",
            rewriter.optional
        );
        return Err(unsupported_part("", &what));
    }
    if rewriter.unions > MAX_UNIONS {
        let what = format!(
            "{} values have several types, but at most {MAX_UNIONS} are supported",
            rewriter.unions
        );
        return Err(unsupported_part("", &what));
    }
    Ok((schema, rewriter.unenforced))
}

struct OutputRewriter<'a> {
    exact: &'a Value,
    /// The definitions that are referred to.
    named: Vec<String>,
    /// The enclosing definitions.
    inside: Vec<String>,
    limits: TraversalLimits,
    optional: usize,
    unions: usize,
    unenforced: Vec<String>,
}

impl<'a> OutputRewriter<'a> {
    fn new(exact: &'a Value) -> Self {
        Self {
            exact,
            named: Vec::new(),
            inside: vec![String::new()],
            limits: TraversalLimits::new(MAX_NODES),
            optional: 0,
            unions: 0,
            unenforced: Vec::new(),
        }
    }
}

impl StrictDialectRewriter for OutputRewriter<'_> {
    const ANYTHING: &'static str = "a schema that accepts any value";

    fn limits(&mut self) -> &mut TraversalLimits {
        &mut self.limits
    }

    fn rewrite_map(
        &mut self,
        map: &Map<String, Value>,
        at: &str,
    ) -> Result<Map<String, Value>, String> {
        if let Some(reference) = map.get("$ref") {
            return self.rewrite_reference(reference, map, at);
        }
        if let Some(Value::Array(parts)) = map.get("allOf") {
            let mut whole = map.clone();
            whole.remove("allOf");
            if parts.iter().filter(|part| part.get("$ref").is_some()).count() > 1 {
                return Err(unsupported_part(at, "a schema with several references"));
            }
            for part in parts {
                let part =
                    part.as_object().ok_or_else(|| unsupported_part(at, "a part of `allOf`"))?;
                whole = merge_schemas(part, &whole);
                // A reference in the part is resolved with the merged schema.
                whole.extend(part.get("$ref").map(|it| ("$ref".to_owned(), it.clone())));
            }
            return self.rewrite_nested_map(&whole, at);
        }
        let mut written = Map::new();
        let mut limits = Vec::new();
        for (key, value) in map {
            self.rewrite_keyword(key, value, at, &mut written, &mut limits)?;
        }
        if let Some((key, branches)) = find_choice(map) {
            self.rewrite_choice(key, branches, map, at, &mut written)?;
        } else {
            self.rewrite_typed(map, at, &mut written)?;
        }
        if !limits.is_empty() {
            let said = limits.join(", ");
            let own = written.get("description").and_then(Value::as_str);
            let both = own.map_or_else(|| said.clone(), |own| format!("{own} ({said})"));
            written.insert("description".to_owned(), both.into());
        }
        Ok(written)
    }
}

impl OutputRewriter<'_> {
    /// Calls [`Self::rewrite_map`] one level deeper, so that the depth limit stops recursion.
    fn rewrite_nested_map(
        &mut self,
        map: &Map<String, Value>,
        at: &str,
    ) -> Result<Map<String, Value>, String> {
        let written = self.rewrite_schema(&Value::Object(map.clone()), at)?;
        Ok(written.as_object().cloned().unwrap_or_default())
    }

    /// Merges keywords next to a reference with its target, because a reference cannot have siblings.
    fn rewrite_reference(
        &mut self,
        reference: &Value,
        map: &Map<String, Value>,
        at: &str,
    ) -> Result<Map<String, Value>, String> {
        let Some((target, place)) = resolve_reference(self.exact, reference) else {
            return Err(unsupported_part(
                at,
                &format!("{reference} does not exist in this schema"),
            ));
        };
        if self.inside.contains(&place) {
            return Err(unsupported_part(at, &format!("{reference} is recursive")));
        }
        self.inside.push(place.clone());
        let written = if map.len() == 1 && is_definition(&place) {
            // Check the contents of the definition once, but emit only the reference.
            let known = self.named.contains(&place);
            if !known {
                let counts = (self.optional, self.unions, self.unenforced.len());
                self.rewrite_schema(&Value::Object(target.clone()), &place)?;
                (self.optional, self.unions) = (counts.0, counts.1);
                self.unenforced.truncate(counts.2);
                self.named.push(place);
            }
            Ok(Map::from_iter([("$ref".to_owned(), reference.clone())]))
        } else {
            self.rewrite_nested_map(&merge_schemas(target, map), at)
        };
        self.inside.pop();
        written
    }

    fn rewrite_keyword(
        &mut self,
        key: &str,
        value: &Value,
        at: &str,
        written: &mut Map<String, Value>,
        limits: &mut Vec<String>,
    ) -> Result<(), String> {
        match classify_keyword(key, value) {
            Keyword::Copied => drop(written.insert(key.to_owned(), value.clone())),
            Keyword::Limit(words) => {
                self.unenforced.push(pointer::child(at, key));
                limits.push(format!("{words} {value}"));
            }
            Keyword::Elsewhere => {}
            Keyword::Unknown => {
                let at = pointer::child(at, key);
                return Err(unsupported_part(&at, "an unsupported keyword"));
            }
        }
        Ok(())
    }

    fn rewrite_choice(
        &mut self,
        key: &str,
        branches: &[Value],
        map: &Map<String, Value>,
        at: &str,
        written: &mut Map<String, Value>,
    ) -> Result<(), String> {
        self.unions += 1;
        let unsupported_siblings = ["properties", "items", "required", "enum", "const"];
        if let Some(other) = unsupported_siblings.iter().find(|other| map.contains_key(**other)) {
            return Err(unsupported_part(
                &pointer::child(at, other),
                "not supported next to `anyOf` or `oneOf`",
            ));
        }
        let at = pointer::child(at, key);
        let any = rewrite_list(branches, &at, |branch, at| self.rewrite_schema(branch, at))?;
        written.insert("anyOf".to_owned(), any.into());
        Ok(())
    }

    fn rewrite_typed(
        &mut self,
        map: &Map<String, Value>,
        at: &str,
        written: &mut Map<String, Value>,
    ) -> Result<(), String> {
        let kinds = listed_types(map);
        if kinds.len() > 1 {
            self.unions += 1;
        }
        let is_fixed = map.contains_key("enum") || map.contains_key("const");
        match map.get("type") {
            Some(kind) => drop(written.insert("type".to_owned(), kind.clone())),
            None if map.contains_key("properties") => {
                written.insert("type".to_owned(), "object".into());
            }
            None if is_fixed => {}
            None => return Err(unsupported_part(at, "a schema that accepts any value")),
        }
        if kinds.contains(&"object") || map.contains_key("properties") {
            self.rewrite_object(map, at, written)?;
        }
        if kinds.contains(&"array") {
            let items = map.get("items").filter(|items| items.is_object());
            let items = items.ok_or_else(|| unsupported_part(at, "a list without `items`"))?;
            written.insert(
                "items".to_owned(),
                self.rewrite_schema(items, &pointer::child(at, "items"))?,
            );
        }
        Ok(())
    }

    fn rewrite_object(
        &mut self,
        map: &Map<String, Value>,
        at: &str,
        written: &mut Map<String, Value>,
    ) -> Result<(), String> {
        let own = map.get("properties").and_then(Value::as_object);
        let is_open = |key: &str| map.get(key).is_some_and(|rest| *rest != Value::Bool(false));
        let has_schema = map.get("additionalProperties").is_some_and(Value::is_object);
        // Closing an object is safe: every value that matches the closed schema also matches the exact one. Closing a
        // map would allow only `{}`.
        if has_schema || (own.is_none_or(Map::is_empty) && is_open("additionalProperties")) {
            return Err(unsupported_part(
                &pointer::child(at, "additionalProperties"),
                "a map with arbitrary keys",
            ));
        }
        let required = map.get("required").and_then(Value::as_array).cloned().unwrap_or_default();
        let at = pointer::child(at, "properties");
        let properties = rewrite_named(map.get("properties"), &at, |name, exact, at| {
            self.optional += usize::from(!required.iter().any(|one| one == name));
            self.rewrite_schema(exact, at)
        })?;
        check_required(&required, &properties, &at)?;
        written.insert("properties".to_owned(), properties.into());
        if !required.is_empty() {
            written.insert("required".to_owned(), required.into());
        }
        written.insert("additionalProperties".to_owned(), json!(false));
        Ok(())
    }
}
