//! The strict subset for output: what an exact schema becomes in it, or why it cannot be said.

use serde_json::{Map, Value, json};

use super::keywords::{Keyword, keyword};
use genkit_schema::internal::conversion::MAX_NODES;
use genkit_schema::internal::dialect::{choice, merged, resolve, types};
use genkit_schema::internal::{MAX_DEPTH, pointer};

/// How many properties may be left out, over all objects.
const MAX_OPTIONAL: usize = 24;

/// How many values may be of several types.
const MAX_UNIONS: usize = 16;

/// The strict schema, and the places of limits that are not bound; an error is the first place that cannot be said.
pub(super) fn strict(exact: &Value) -> Result<(Value, Vec<String>), String> {
    let mut rewriter = OutputRewriter::new(exact);
    let mut schema = rewriter.schema(exact, "")?;
    if schema.get("type").is_none() && schema.get("anyOf").is_none() && schema.get("$ref").is_none()
    {
        return Err(unsupported("", "a value of any kind"));
    }
    for key in ["$defs", "definitions"] {
        let Some(definitions) = exact.get(key).and_then(Value::as_object) else { continue };
        let at = pointer::child("", key);
        let mut written = Map::new();
        for (name, definition) in definitions {
            let place = pointer::child(&at, name);
            // One that nothing names costs nothing, and must not be a reason.
            if rewriter.named.contains(&place) {
                rewriter.inside.push(place.clone());
                written.insert(name.clone(), rewriter.schema(definition, &place)?);
                rewriter.inside.pop();
            }
        }
        if !written.is_empty() {
            schema[key] = written.into();
        }
    }
    if rewriter.optional > MAX_OPTIONAL {
        let what = format!("{} properties may be left out, of {MAX_OPTIONAL}", rewriter.optional);
        return Err(unsupported("", &what));
    }
    if rewriter.unions > MAX_UNIONS {
        let what = format!("{} values are of several types, of {MAX_UNIONS}", rewriter.unions);
        return Err(unsupported("", &what));
    }
    Ok((schema, rewriter.left_out))
}

struct OutputRewriter<'a> {
    exact: &'a Value,
    /// Definitions that are named somewhere.
    named: Vec<String>,
    /// Those that it is inside of.
    inside: Vec<String>,
    depth: usize,
    nodes: usize,
    optional: usize,
    unions: usize,
    left_out: Vec<String>,
}

impl<'a> OutputRewriter<'a> {
    fn new(exact: &'a Value) -> Self {
        Self {
            exact,
            named: Vec::new(),
            inside: vec![String::new()],
            depth: 0,
            nodes: 0,
            optional: 0,
            unions: 0,
            left_out: Vec::new(),
        }
    }

    fn schema(&mut self, exact: &Value, at: &str) -> Result<Value, String> {
        let Value::Object(map) = exact else {
            return Err(unsupported(at, "a value of any kind"));
        };
        self.nodes += 1;
        if self.nodes > MAX_NODES {
            return Err(unsupported(at, "here the schema has become too large"));
        }
        if self.depth == MAX_DEPTH {
            return Err(unsupported(at, "nested too deep"));
        }
        self.depth += 1;
        let written = self.map(map, at);
        self.depth -= 1;
        written.map(Value::Object)
    }

    fn map(&mut self, map: &Map<String, Value>, at: &str) -> Result<Map<String, Value>, String> {
        if let Some(reference) = map.get("$ref") {
            return self.reference(reference, map, at);
        }
        if let Some(Value::Array(parts)) = map.get("allOf") {
            let mut whole = map.clone();
            whole.remove("allOf");
            if parts.iter().filter(|part| part.get("$ref").is_some()).count() > 1 {
                return Err(unsupported(at, "several references at once"));
            }
            for part in parts {
                let part = part.as_object().ok_or_else(|| unsupported(at, "a part of `allOf`"))?;
                whole = merged(part, &whole);
                // A reference in the part is followed by what becomes of the whole.
                whole.extend(part.get("$ref").map(|it| ("$ref".to_owned(), it.clone())));
            }
            return self.map_again(&whole, at);
        }
        let mut written = Map::new();
        let mut limits = Vec::new();
        for (key, value) in map {
            self.keyword(key, value, at, &mut written, &mut limits)?;
        }
        if let Some((key, branches)) = choice(map) {
            self.choice(key, branches, map, at, &mut written)?;
        } else {
            self.typed(map, at, &mut written)?;
        }
        if !limits.is_empty() {
            let said = limits.join(", ");
            let own = written.get("description").and_then(Value::as_str);
            let both = own.map_or_else(|| said.clone(), |own| format!("{own} ({said})"));
            written.insert("description".to_owned(), both.into());
        }
        Ok(written)
    }

    /// The same as [`Self::map`] one level deeper, so that what contains itself ends.
    fn map_again(
        &mut self,
        map: &Map<String, Value>,
        at: &str,
    ) -> Result<Map<String, Value>, String> {
        let written = self.schema(&Value::Object(map.clone()), at)?;
        Ok(written.as_object().cloned().unwrap_or_default())
    }

    /// A reference stands alone; what is beside it is merged with what it names.
    fn reference(
        &mut self,
        reference: &Value,
        map: &Map<String, Value>,
        at: &str,
    ) -> Result<Map<String, Value>, String> {
        let Some((target, place)) = resolve(self.exact, reference) else {
            return Err(unsupported(at, &format!("{reference} is not a place in this schema")));
        };
        if self.inside.contains(&place) {
            return Err(unsupported(at, &format!("{reference} contains itself")));
        }
        let is_definition = ["/$defs/", "/definitions/"]
            .iter()
            .any(|start| place.strip_prefix(start).is_some_and(|name| !name.contains('/')));
        self.inside.push(place.clone());
        let written = if map.len() == 1 && is_definition {
            // Walked for what it contains, and then named alone.
            let known = self.named.contains(&place);
            if !known {
                let counts = (self.optional, self.unions, self.left_out.len());
                self.schema(&Value::Object(target.clone()), &place)?;
                (self.optional, self.unions) = (counts.0, counts.1);
                self.left_out.truncate(counts.2);
                self.named.push(place);
            }
            Ok(Map::from_iter([("$ref".to_owned(), reference.clone())]))
        } else {
            self.map_again(&merged(target, map), at)
        };
        self.inside.pop();
        written
    }

    fn keyword(
        &mut self,
        key: &str,
        value: &Value,
        at: &str,
        written: &mut Map<String, Value>,
        limits: &mut Vec<String>,
    ) -> Result<(), String> {
        match keyword(key, value) {
            Keyword::Copied => drop(written.insert(key.to_owned(), value.clone())),
            Keyword::Limit(words) => {
                self.left_out.push(pointer::child(at, key));
                limits.push(format!("{words} {value}"));
            }
            Keyword::Elsewhere => {}
            Keyword::Unknown => {
                let at = pointer::child(at, key);
                return Err(unsupported(&at, "a keyword that it does not have"));
            }
        }
        Ok(())
    }

    fn choice(
        &mut self,
        key: &str,
        branches: &[Value],
        map: &Map<String, Value>,
        at: &str,
        written: &mut Map<String, Value>,
    ) -> Result<(), String> {
        self.unions += 1;
        let beside = ["properties", "items", "required", "enum", "const"];
        if let Some(other) = beside.iter().find(|other| map.contains_key(**other)) {
            return Err(unsupported(&pointer::child(at, other), "it stands beside a choice"));
        }
        let at = pointer::child(at, key);
        let mut any = Vec::with_capacity(branches.len());
        for (index, branch) in branches.iter().enumerate() {
            any.push(self.schema(branch, &pointer::element(&at, index))?);
        }
        written.insert("anyOf".to_owned(), any.into());
        Ok(())
    }

    fn typed(
        &mut self,
        map: &Map<String, Value>,
        at: &str,
        written: &mut Map<String, Value>,
    ) -> Result<(), String> {
        let kinds = types(map);
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
            None => return Err(unsupported(at, "a value of any kind")),
        }
        if kinds.contains(&"object") || map.contains_key("properties") {
            self.object(map, at, written)?;
        }
        if kinds.contains(&"array") {
            let items = map.get("items").filter(|items| items.is_object());
            let items = items.ok_or_else(|| unsupported(at, "a list that does not say of what"))?;
            written.insert("items".to_owned(), self.schema(items, &pointer::child(at, "items"))?);
        }
        Ok(())
    }

    fn object(
        &mut self,
        map: &Map<String, Value>,
        at: &str,
        written: &mut Map<String, Value>,
    ) -> Result<(), String> {
        let own = map.get("properties").and_then(Value::as_object);
        let is_open = |key: &str| map.get(key).is_some_and(|rest| *rest != Value::Bool(false));
        let has_schema = map.get("additionalProperties").is_some_and(Value::is_object);
        // An object may be closed: what fits it then fits the exact one, too. A map would always be empty.
        if has_schema || (own.is_none_or(Map::is_empty) && is_open("additionalProperties")) {
            return Err(unsupported(
                &pointer::child(at, "additionalProperties"),
                "a map with free keys",
            ));
        }
        let required: Vec<Value> =
            map.get("required").and_then(Value::as_array).cloned().unwrap_or_default();
        let mut properties = Map::new();
        let place = pointer::child(at, "properties");
        for (name, exact) in own.into_iter().flatten() {
            let schema = self.schema(exact, &pointer::child(&place, name))?;
            properties.insert(name.clone(), schema);
            if !required.iter().any(|one| one == name) {
                self.optional += 1;
            }
        }
        let missing = required
            .iter()
            .find(|name| !name.as_str().is_some_and(|name| properties.contains_key(name)));
        if let Some(missing) = missing {
            return Err(unsupported(&place, &format!("{missing} is required and not described")));
        }
        written.insert("properties".to_owned(), properties.into());
        if !required.is_empty() {
            written.insert("required".to_owned(), required.into());
        }
        written.insert("additionalProperties".to_owned(), json!(false));
        Ok(())
    }
}

/// Why something cannot be said, with its place.
fn unsupported(at: &str, what: &str) -> String {
    let place = if at.is_empty() { "the root".to_owned() } else { format!("`{at}`") };
    format!("at {place}: {what}")
}
