//! Objects: their properties, and the schema of additional properties.

use serde_json::{Map, Value};

use super::draft::{Draft, Null};
use super::flat::Flat;
use super::rewriter::PortableRewriter;
use crate::json::pointer;

/// Keywords that can evaluate properties that are not in `properties`.
const APPLICATORS: [&str; 6] = ["anyOf", "oneOf", "allOf", "if", "then", "else"];

impl<'a> PortableRewriter<'a> {
    /// Rewrites the keywords for objects.
    pub(super) fn rewrite_object(&mut self, flat: &Flat<'a>, draft: &mut Draft) {
        let required = flat.required_names();
        let mut properties = Map::new();
        for (named, layer) in flat.all_values("properties") {
            let at = pointer::child(layer, "properties");
            for (name, exact) in named.as_object().into_iter().flatten() {
                if properties.contains_key(name) {
                    continue;
                }
                let null =
                    if required.contains(&name.as_str()) { Null::Needed } else { Null::Omitted };
                let schema = self.rewrite_schema(exact, &pointer::child(&at, name), null);
                properties.insert(name.clone(), schema);
            }
        }
        for name in &required {
            // Strict validators require an entry in `properties` for each required name.
            if !properties.contains_key(*name) {
                properties.insert((*name).to_owned(), Value::Object(Map::new()));
            }
        }
        if flat.find_keyword("properties").is_some() || !required.is_empty() {
            draft.assertions.insert("properties".to_owned(), Value::Object(properties));
        }
        if !required.is_empty() {
            draft.assertions.insert("required".to_owned(), required.into());
        }
        if let Some((exact, layer)) = flat.find_keyword("additionalProperties") {
            let at = pointer::child(layer, "additionalProperties");
            let rest = self.rewrite_rest(exact, &at);
            draft.assertions.insert("additionalProperties".to_owned(), rest);
        } else if let Some((exact, layer)) = flat.find_keyword("unevaluatedProperties") {
            let at = pointer::child(layer, "unevaluatedProperties");
            self.rewrite_unevaluated(exact, &at, flat, draft);
        }
    }

    fn rewrite_unevaluated(
        &mut self,
        exact: &'a Value,
        at: &str,
        flat: &Flat<'a>,
        draft: &mut Draft,
    ) {
        if exact == &Value::Bool(true) {
            return;
        }
        if flat.cut.is_some() || APPLICATORS.iter().any(|key| flat.find_keyword(key).is_some()) {
            let what = "`unevaluatedProperties` next to a choice is not in JSON Schema draft 7, so additional properties \
                        are accepted";
            self.note_loss(
                at,
                what.to_owned(),
                "no change is needed: additional properties are rejected when the function is called",
            );
            return;
        }
        let rest = self.rewrite_rest(exact, at);
        draft.assertions.insert("additionalProperties".to_owned(), rest);
    }

    /// Rewrites the schema of additional properties. All clients support `true` and `false` here.
    fn rewrite_rest(&mut self, exact: &'a Value, at: &str) -> Value {
        match exact {
            Value::Bool(allowed) => Value::Bool(*allowed),
            schema => self.rewrite_schema(schema, at, Null::Needed),
        }
    }
}
