//! The traversal that the strict dialects share. A strict dialect converts a schema completely, or reports the first
//! part that it does not support.

use serde_json::{Map, Value};

use crate::conversion::MAX_DEPTH;
use crate::json::pointer;

/// A rewriter of schemas to a strict dialect. The error describes the first unsupported part.
pub trait StrictDialectRewriter {
    /// The description of a schema that accepts any value.
    const ANYTHING: &'static str;

    /// Returns the limits of the traversal.
    fn limits(&mut self) -> &mut TraversalLimits;

    /// Rewrites a schema that is an object, at `at`.
    fn rewrite_map(
        &mut self,
        map: &Map<String, Value>,
        at: &str,
    ) -> Result<Map<String, Value>, String>;

    /// Rewrites any schema at `at`.
    fn rewrite_schema(&mut self, exact: &Value, at: &str) -> Result<Value, String> {
        let Value::Object(map) = exact else {
            return Err(unsupported_part(at, Self::ANYTHING));
        };
        self.limits().enter(at)?;
        let strict = self.rewrite_map(map, at);
        self.limits().depth -= 1;
        strict.map(Value::Object)
    }
}

/// The depth and number of the schemas that have been rewritten.
pub struct TraversalLimits {
    depth: usize,
    schemas: usize,
    max_schemas: usize,
}

impl TraversalLimits {
    pub fn new(max_schemas: usize) -> Self {
        Self { depth: 0, schemas: 0, max_schemas }
    }

    fn enter(&mut self, at: &str) -> Result<(), String> {
        if self.depth == MAX_DEPTH {
            return Err(unsupported_part(at, "nested too deeply"));
        }
        self.schemas += 1;
        if self.schemas > self.max_schemas {
            return Err(unsupported_part(at, "the rest of the schema is too large"));
        }
        self.depth += 1;
        Ok(())
    }
}

/// Rewrites each schema of a list at `at`, such as the branches of a choice.
pub fn rewrite_list(
    list: &[Value],
    at: &str,
    mut rewrite: impl FnMut(&Value, &str) -> Result<Value, String>,
) -> Result<Vec<Value>, String> {
    let each = list.iter().enumerate();
    each.map(|(index, schema)| rewrite(schema, &pointer::element(at, index))).collect()
}

/// Rewrites the schemas of an object at `at` by name, such as its properties, in their order.
pub fn rewrite_named(
    named: Option<&Value>,
    at: &str,
    mut rewrite: impl FnMut(&str, &Value, &str) -> Result<Value, String>,
) -> Result<Map<String, Value>, String> {
    let each = named.and_then(Value::as_object).into_iter().flatten();
    each.map(|(name, schema)| Ok((name.clone(), rewrite(name, schema, &pointer::child(at, name))?)))
        .collect()
}

/// Returns an error if a required name has no property. `at` is the pointer of the properties.
pub fn check_required(
    required: &[Value],
    properties: &Map<String, Value>,
    at: &str,
) -> Result<(), String> {
    let has_property = |name: &Value| name.as_str().is_some_and(|it| properties.contains_key(it));
    match required.iter().find(|name| !has_property(name)) {
        Some(missing) => {
            let what = format!("{missing} is required, but not in `properties`");
            Err(unsupported_part(at, &what))
        }
        None => Ok(()),
    }
}

/// Returns whether a pointer refers to a definition at the root.
pub fn is_definition(pointer: &str) -> bool {
    ["/$defs/", "/definitions/"]
        .iter()
        .any(|start| pointer.strip_prefix(start).is_some_and(|name| !name.contains('/')))
}

/// Returns the description of an unsupported part, with its pointer.
pub fn unsupported_part(at: &str, what: &str) -> String {
    let place = if at.is_empty() { "the root".to_owned() } else { format!("`{at}`") };
    format!("at {place}: {what}")
}
