//! Recursive rewriting of an exact schema: references, null and choices.

use serde_json::{Map, Value, json};

use genkit_schema::internal::conversion::MAX_NODES;
use genkit_schema::internal::dialect::{
    find_choice, listed_types, merge_schemas, resolve_reference,
};
use genkit_schema::internal::{Loss, MAX_DEPTH, Position, pointer};

/// The state of one rewriting.
pub(super) struct SubsetRewriter<'a> {
    exact: &'a Value,
    /// The pointers of the enclosing definitions, the root first.
    references: Vec<String>,
    max_references: usize,
    nodes: usize,
    depth: usize,
    degraded: Vec<Loss>,
}

impl<'a> SubsetRewriter<'a> {
    pub(super) fn new(exact: &'a Value, max_references: usize) -> Self {
        let references = vec![String::new()];
        Self { exact, references, max_references, nodes: 0, depth: 0, degraded: Vec::new() }
    }

    /// Returns the constraints that were lost, or `None` if the subset is too large and must not be
    /// truncated.
    pub(super) fn into_losses(mut self, may_cut: bool) -> Option<Vec<Loss>> {
        if self.nodes > MAX_NODES {
            if !may_cut {
                return None;
            }
            let what = format!(
                "the schema contains more than {MAX_NODES} schemas; the last ones allow any value"
            );
            self.note_loss(String::new(), what, "split the function into several");
        }
        self.degraded.sort();
        self.degraded.dedup();
        Some(self.degraded)
    }

    pub(super) fn note_loss(&mut self, at: String, what: impl Into<String>, remedy: &str) {
        self.degraded.push(Loss { pointer: at, what: what.into(), remedy: remedy.to_owned() });
    }

    /// Rewrites the schema at `at`.
    pub(super) fn rewrite_schema(&mut self, exact: &Value, at: &str) -> Value {
        self.nodes += 1;
        let Value::Object(map) = exact else {
            return self.note_anything(at);
        };
        if self.nodes > MAX_NODES {
            return json!({});
        }
        if self.depth == MAX_DEPTH {
            self.note_loss(
                at.to_owned(),
                "this schema is nested too deeply; any value is allowed instead",
                "nest fewer types",
            );
            return json!({});
        }
        self.depth += 1;
        let inside = self.references.len();
        let subset = self.rewrite_resolved(map, at);
        self.references.truncate(inside);
        self.depth -= 1;
        Value::Object(subset)
    }

    /// Records a schema that allows any value.
    pub(super) fn note_anything(&mut self, at: &str) -> Value {
        let remedy = "specify a type, or write the schema by hand";
        self.note_loss(
            at.to_owned(),
            "a schema that accepts any value has no type in the subset",
            remedy,
        );
        json!({})
    }

    /// Inlines references and `allOf` until none are left.
    fn rewrite_resolved(&mut self, map: &Map<String, Value>, at: &str) -> Map<String, Value> {
        let Some(reference) = map.get("$ref") else {
            return self.rewrite_parts(map, at);
        };
        let Some((target, pointer)) = resolve_reference(self.exact, reference) else {
            let what = format!("{reference} does not exist in this schema");
            self.note_loss(at.to_owned(), what, "refer to a definition under `$defs`");
            return kept_notes(map);
        };
        if self.references.contains(&pointer) {
            let what = format!("{reference} is recursive and is cut at the first recursion");
            self.note_loss(
                at.to_owned(),
                what,
                "use a flat list with ids, or a model that supports JSON Schema",
            );
            return cut_reference(target, map);
        }
        if self.references.len() > self.max_references {
            let what = format!(
                "{reference} is cut here, because the schema is too large with all references inlined"
            );
            self.note_loss(
                at.to_owned(),
                what,
                "split the function into several, or nest fewer types",
            );
            return cut_reference(target, map);
        }
        self.references.push(pointer.clone());
        // The target may itself be a reference.
        self.rewrite_resolved(&merge_schemas(target, map), &pointer)
    }

    /// Merges the parts of `allOf`.
    fn rewrite_parts(&mut self, map: &Map<String, Value>, at: &str) -> Map<String, Value> {
        let Some(Value::Array(parts)) = map.get("allOf") else {
            return self.without_null(map, at);
        };
        let mut rest = map.clone();
        rest.remove("allOf");
        for (index, part) in parts.iter().enumerate() {
            match self.mergeable_part(part) {
                Some(part) => rest = merge_schemas(part, &rest),
                None => {
                    let place = pointer::element(&pointer::child(at, "allOf"), index);
                    let remedy = "write the properties of the part into one type";
                    self.note_loss(place, "a part of `allOf` is left out", remedy);
                }
            }
        }
        self.without_null(&rest, at)
    }

    /// Returns a part of `allOf`, if it can be merged.
    fn mergeable_part<'p>(&mut self, part: &'p Value) -> Option<&'p Map<String, Value>>
    where
        'a: 'p,
    {
        let mut plain = part.as_object()?;
        if let Some(reference) = plain.get("$ref") {
            let (target, pointer) = resolve_reference(self.exact, reference)?;
            let is_again = self.references.contains(&pointer);
            if is_again || self.references.len() > self.max_references || plain.len() > 1 {
                return None;
            }
            self.references.push(pointer);
            plain = target;
        }
        (!plain.contains_key("$ref") && !plain.contains_key("allOf")).then_some(plain)
    }

    /// Removes null from a choice and from a list of types.
    fn without_null(&mut self, map: &Map<String, Value>, at: &str) -> Map<String, Value> {
        let Some((key, branches)) = find_choice(map) else {
            return self.rewrite_typed(map, at);
        };
        let is_null = |branch: &&Value| branch.get("type").is_some_and(|name| name == "null");
        let has_null = branches.iter().any(|branch| is_null(&branch));
        let others: Vec<_> =
            branches.iter().enumerate().filter(|(_, branch)| !is_null(branch)).collect();
        let mut rest = map.clone();
        rest.remove(key);
        let at = pointer::child(at, key);
        let mut subset = match others[..] {
            [] => self.rewrite_typed(&with_type(&rest, "null"), &at),
            [(index, Value::Object(only))] => {
                // A definition inside the branch keeps its value; only the annotations of the outer
                // schema take precedence.
                let only = merge_schemas(only, &rest);
                self.rewrite_resolved(&only, &pointer::element(&at, index))
            }
            _ => self.rewrite_choice(&rest, &others, &at),
        };
        if has_null && !others.is_empty() {
            subset.insert("nullable".to_owned(), Value::Bool(true));
        }
        subset
    }

    /// Rewrites a choice. It cannot have keywords next to it, so they are merged into each of its
    /// branches.
    fn rewrite_choice(
        &mut self,
        rest: &Map<String, Value>,
        others: &[(usize, &Value)],
        at: &str,
    ) -> Map<String, Value> {
        let mut base = rest.clone();
        base.retain(|key, _| is_constraint(key));
        let mut any: Vec<Value> = Vec::new();
        for (index, branch) in others {
            let place = pointer::element(at, *index);
            let subset = match branch {
                Value::Object(branch) if !base.is_empty() => {
                    let mut both = merge_schemas(&base, branch);
                    let reference = branch.get_key_value("$ref");
                    both.extend(reference.map(|(key, value)| (key.clone(), value.clone())));
                    self.rewrite_schema(&Value::Object(both), &place)
                }
                branch => self.rewrite_schema(branch, &place),
            };
            if !any.contains(&subset) {
                any.push(subset);
            }
        }
        let mut subset = fold_values(&any).unwrap_or_else(|| match <[Value; 1]>::try_from(any) {
            Ok([Value::Object(only)]) => only,
            Ok(_) => Map::new(),
            Err(any) => Map::from_iter([("anyOf".to_owned(), Value::Array(any))]),
        });
        if let Some(description) = rest.get("description").and_then(Value::as_str) {
            let more = subset.get("description").and_then(Value::as_str);
            let both = more
                .map_or_else(|| description.to_owned(), |more| format!("{description}\n\n{more}"));
            subset.insert("description".to_owned(), both.into());
        }
        subset
    }
}

/// Returns the annotations that the subset supports.
pub(super) fn kept_notes(map: &Map<String, Value>) -> Map<String, Value> {
    let description = map.get_key_value("description");
    description.into_iter().map(|(key, value)| (key.clone(), value.clone())).collect()
}

/// Returns whether a keyword constrains the value, so that it must be merged into each branch of a choice.
fn is_constraint(key: &str) -> bool {
    let is_scaffold = matches!(key, "$defs" | "definitions" | "dependentSchemas");
    let is_known = matches!(
        key,
        "type"
            | "enum"
            | "const"
            | "required"
            | "format"
            | "pattern"
            | "minLength"
            | "maxLength"
            | "minimum"
            | "maximum"
            | "minItems"
            | "maxItems"
            | "minProperties"
            | "maxProperties"
    );
    is_known || (Position::of_keyword(key) != Position::Data && !is_scaffold)
}

/// Returns the replacement of a truncated reference.
fn cut_reference(target: &Map<String, Value>, siblings: &Map<String, Value>) -> Map<String, Value> {
    let mut cut = kept_notes(&merge_schemas(target, siblings));
    let of_branch =
        |branch: &'_ Value| branch.get("type").and_then(Value::as_str).map(str::to_owned);
    let kind = match (listed_types(target).as_slice(), find_choice(target)) {
        ([only], _) => Some((*only).to_owned()),
        ([], Some((_, branches))) => {
            let mut kinds = branches.iter().map(of_branch);
            let first = kinds.next().flatten();
            first.filter(|first| kinds.all(|other| other.as_ref() == Some(first)))
        }
        _ => None,
    };
    if let Some(kind) = kind {
        cut.insert("type".to_owned(), kind.to_uppercase().into());
        if kind == "array" {
            cut.insert("items".to_owned(), json!({}));
        }
    }
    cut
}

fn with_type(map: &Map<String, Value>, name: &str) -> Map<String, Value> {
    let mut map = map.clone();
    map.insert("type".to_owned(), name.into());
    map
}

/// Merges branches that each list strings into one list, with their descriptions.
fn fold_values(any: &[Value]) -> Option<Map<String, Value>> {
    let mut texts = Vec::new();
    let mut lines = Vec::new();
    for branch in any {
        let branch = branch.as_object()?;
        let is_list = |key: &String| matches!(key.as_str(), "type" | "enum" | "description");
        if branch.get("type")? != "STRING" || !branch.keys().all(is_list) {
            return None;
        }
        let listed = branch.get("enum")?.as_array()?;
        if let Some(description) = branch.get("description").and_then(Value::as_str) {
            let names: Vec<_> =
                listed.iter().filter_map(Value::as_str).map(|name| format!("`{name}`")).collect();
            lines.push(format!("- {}: {}", names.join(", "), description.replace('\n', "\n  ")));
        }
        texts.extend(listed.iter().cloned());
    }
    let mut folded = Map::from_iter([("type".to_owned(), Value::from("STRING"))]);
    if !lines.is_empty() {
        folded.insert("description".to_owned(), lines.join("\n").into());
    }
    folded.insert("enum".to_owned(), Value::Array(texts));
    Some(folded)
}
