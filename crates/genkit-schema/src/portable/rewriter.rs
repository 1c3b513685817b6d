//! Recursive descent over an exact schema, from the root down.

use serde_json::{Map, Value};

use super::draft::{Draft, Null, never_schema};
use super::flat::Flat;
use super::keywords::{self, Class};
use super::plain::Plain;
use crate::conversion::{Loss, MAX_DEPTH};
use crate::json::pointer;

/// The state of one rewrite.
pub(super) struct PortableRewriter<'a> {
    pub exact: &'a Value,
    /// The pointers of the enclosing definitions, starting with the root.
    pub references: Vec<String>,
    pub max_references: usize,
    /// The nesting depth of schemas.
    pub depth: usize,
    max_nodes: usize,
    nodes: usize,
    degraded: Vec<Loss>,
    /// Whether the fast path for plain schemas is used. A test compares it with the full rewriter.
    is_short: bool,
}

impl<'a> PortableRewriter<'a> {
    pub(super) fn new(exact: &'a Value, max_references: usize, max_nodes: usize) -> Self {
        Self {
            exact,
            references: vec![String::new()],
            max_references,
            depth: 0,
            max_nodes,
            nodes: 0,
            degraded: Vec::new(),
            is_short: true,
        }
    }

    /// Disables the fast path.
    #[cfg(test)]
    pub(super) fn without_fast_path(self) -> Self {
        Self { is_short: false, ..self }
    }

    /// Returns the losses, or `None` if the schema has too many nodes.
    pub(super) fn into_losses(mut self) -> Option<Vec<Loss>> {
        if self.nodes > self.max_nodes {
            return None;
        }
        // Sorted, because the order of properties depends on the map type, which another crate can change.
        self.degraded.sort_unstable();
        self.degraded.dedup();
        Some(self.degraded)
    }

    /// Rewrites the root schema.
    pub(super) fn rewrite_root(&mut self) -> Value {
        let mut schema = self.rewrite_schema(self.exact, "", Null::Needed);
        if let Value::Object(map) = &mut schema {
            close_root(map);
        }
        schema
    }

    /// Rewrites the schema at `at`.
    pub(super) fn rewrite_schema(&mut self, exact: &'a Value, at: &str, null: Null) -> Value {
        if let Some(schema) = self.rewrite_plain(exact, at, null) {
            return schema;
        }
        self.nodes += 1;
        if self.nodes > self.max_nodes {
            return Value::Object(Map::new());
        }
        let map = match exact {
            Value::Object(map) => map,
            Value::Bool(false) => return never_schema(),
            Value::Bool(true) => return Value::Object(Map::new()),
            _ => {
                self.note_loss(
                    at,
                    "this is not a schema".to_owned(),
                    "write an object, `true` or `false`",
                );
                return Value::Object(Map::new());
            }
        };
        if self.depth > MAX_DEPTH {
            let what =
                format!("nested deeper than {MAX_DEPTH} schemas; everything inside is accepted");
            self.note_loss(at, what, "nest fewer types");
            return Value::Object(Map::new());
        }
        let inside = self.references.len();
        self.depth += 1;
        let flat = self.flatten_schema(map, at);
        let draft = self.draft_schema(&flat, at);
        self.depth -= 1;
        self.references.truncate(inside);
        draft.into_schema(null)
    }

    /// Tries the fast path.
    fn rewrite_plain(&mut self, exact: &Value, at: &str, null: Null) -> Option<Value> {
        if !self.is_short {
            return None;
        }
        let (nodes, max_nodes, depth) = (self.nodes, self.max_nodes, self.depth);
        let mut plain = Plain { nodes, max_nodes, depth };
        let schema = plain.rewrite_schema(exact, at.is_empty(), null)?;
        self.nodes = plain.nodes;
        Some(schema)
    }

    /// Records a loss.
    pub(super) fn note_loss(&mut self, at: &str, what: String, remedy: &str) {
        self.degraded.push(Loss { pointer: at.to_owned(), what, remedy: remedy.to_owned() });
    }

    fn draft_schema(&mut self, flat: &Flat<'a>, at: &str) -> Draft {
        let mut draft = Draft { nullable: flat.nullable, never: flat.never, ..Draft::default() };
        let types = self.allowed_types(flat, &mut draft);
        self.rewrite_values(flat, &types, &mut draft);
        for (key, value, layer) in flat.keyword_entries() {
            let place = || pointer::child(layer, key);
            match keywords::keyword_class(key) {
                Class::Annotation => add_annotation(key, value, flat, at.is_empty(), &mut draft),
                Class::Assertion => {
                    draft.assertions.insert(key.to_owned(), value.clone());
                }
                Class::Schema => {
                    let before = self.degraded.len();
                    let schema = self.rewrite_schema(value, &place(), Null::Needed);
                    // Inside `not` and `if`, a schema that accepts more would make the whole accept less.
                    let turns_around = matches!(key, "not" | "if");
                    if !turns_around || self.degraded.len() == before {
                        draft.assertions.insert(key.to_owned(), schema);
                    }
                }
                Class::Schemas => {
                    let schemas = self.rewrite_schemas(value, &place());
                    draft.assertions.insert(key.to_owned(), schemas);
                }
                Class::Newer => {
                    let what = format!("`{key}` is not in JSON Schema draft 7");
                    self.note_loss(
                        &place(),
                        what,
                        "check the constraint in the function, or write the schema by hand",
                    );
                }
                Class::Unknown => {
                    let what = format!("`{key}` is not a keyword of JSON Schema 2020-12");
                    self.note_loss(
                        &place(),
                        what,
                        "rename the keyword to `x-…`, so that clients ignore the keyword",
                    );
                }
                Class::Ruled | Class::Scaffold => {}
            }
        }
        if !draft.assertions.contains_key("if") {
            draft.assertions.remove("then");
            draft.assertions.remove("else");
        }
        add_format(flat, &mut draft);
        self.rewrite_object(flat, &mut draft);
        self.rewrite_items(flat, &mut draft);
        self.rewrite_unions(flat, &types, &mut draft);
        describe_cut(flat, &mut draft);
        draft.set_type(types);
        draft
    }

    /// Returns the types that the value may have, without null. There may be several or none.
    fn allowed_types(&mut self, flat: &Flat<'a>, draft: &mut Draft) -> Vec<&'a str> {
        let mut types: Vec<&str> = match flat.find_keyword("type") {
            Some((Value::String(only), _)) => vec![only],
            Some((Value::Array(several), _)) => several.iter().filter_map(Value::as_str).collect(),
            _ => flat.type_beyond_cut().into_iter().collect(),
        };
        if types.len() > 1 && types.contains(&"null") {
            types.retain(|name| *name != "null");
            draft.nullable = true;
        }
        types
    }

    fn rewrite_schemas(&mut self, exact: &'a Value, at: &str) -> Value {
        let by_name = exact.as_object().into_iter().flatten();
        let rewritten = by_name.map(|(name, schema)| {
            (name.clone(), self.rewrite_schema(schema, &pointer::child(at, name), Null::Needed))
        });
        Value::Object(rewritten.collect())
    }
}

fn add_annotation(key: &str, value: &Value, flat: &Flat<'_>, is_root: bool, draft: &mut Draft) {
    let annotation = match key {
        "title" => flat.shown_title(is_root),
        "default" if value.is_null() => None,
        _ => Some(value),
    };
    if let Some(annotation) = annotation {
        draft.annotations.insert(key.to_owned(), annotation.clone());
    }
}

fn add_format(flat: &Flat<'_>, draft: &mut Draft) {
    let Some((format, _)) = flat.find_keyword("format") else {
        return;
    };
    if format.as_str().is_some_and(keywords::is_portable_format) {
        draft.assertions.insert("format".to_owned(), format.clone());
    }
}

/// Describes the part that was cut, so that readers still see the expected type.
fn describe_cut(flat: &Flat<'_>, draft: &mut Draft) {
    let Some(cut) = &flat.cut else { return };
    if let Some(description) = flat.beyond_cut("description") {
        draft.annotations.entry("description").or_insert_with(|| description.clone());
    }
    if let Some(name) = &cut.again {
        draft.remarks.push(format!("Has the same shape as the `{name}` that it is in."));
    }
}

/// Adds `type` and `properties` to a root that is an object, because MCP and many clients expect them.
fn close_root(root: &mut Map<String, Value>) {
    let is_object = |schema: &Value| schema.get("type").is_some_and(|only| only == "object");
    let of_objects =
        |branches: &Value| branches.as_array().is_some_and(|all| all.iter().all(is_object));
    if !root.contains_key("type") && root.get("anyOf").is_some_and(of_objects) {
        root.insert("type".to_owned(), "object".into());
    }
    if root.get("type").is_some_and(|only| only == "object") {
        root.entry("properties").or_insert_with(|| Value::Object(Map::new()));
    }
}
