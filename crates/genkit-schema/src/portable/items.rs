//! Arrays: lists of one type, and tuples, for which draft 7 and 2020-12 have different keywords.

use serde_json::{Map, Value};

use super::draft::{Draft, Null, never_schema};
use super::flat::Flat;
use super::rewriter::PortableRewriter;
use super::union::add_branch;
use crate::json::pointer;

impl<'a> PortableRewriter<'a> {
    /// Rewrites the keywords for the items of an array.
    pub(super) fn rewrite_items(&mut self, flat: &Flat<'a>, draft: &mut Draft) {
        if let Some((Value::Array(places), layer)) = flat.find_keyword("prefixItems") {
            let at = pointer::child(layer, "prefixItems");
            self.rewrite_tuple(places, &at, flat, draft);
        } else if let Some((exact, layer)) = flat.find_keyword("items") {
            let at = pointer::child(layer, "items");
            if exact == &Value::Bool(false) {
                draft.assertions.insert("maxItems".to_owned(), 0.into());
                return;
            }
            let items = self.rewrite_schema(exact, &at, Null::Needed);
            draft.assertions.insert("items".to_owned(), items);
        }
        self.note_unevaluated(flat);
    }

    fn rewrite_tuple(&mut self, places: &'a [Value], at: &str, flat: &Flat<'a>, draft: &mut Draft) {
        let mut kinds = Vec::new();
        let mut order = Vec::new();
        for (index, exact) in places.iter().enumerate() {
            let schema = self.rewrite_schema(exact, &pointer::element(at, index), Null::Needed);
            order.push(item_label(&schema));
            add_branch(schema, &mut kinds);
        }
        let closing = ["items", "unevaluatedItems"]
            .into_iter()
            .find_map(|key| Some((key, flat.find_keyword(key)?)));
        let limit = flat.find_keyword("maxItems").and_then(|(limit, _)| limit.as_u64());
        let is_closed = limit.is_some_and(|limit| limit <= places.len() as u64);
        match closing {
            _ if is_closed => {}
            Some((_, (Value::Bool(false), _))) => {
                draft.assertions.insert("maxItems".to_owned(), places.len().into());
            }
            Some((key, (rest, layer))) => {
                let rest = self.rewrite_schema(rest, &pointer::child(layer, key), Null::Needed);
                add_branch(rest, &mut kinds);
            }
            None => kinds.push(Value::Object(Map::new())),
        }
        if kinds.is_empty() {
            kinds.push(never_schema());
        }
        let items = match <[Value; 1]>::try_from(kinds) {
            Ok([only]) => only,
            Err(kinds) => {
                let what =
                    "a tuple of different types: the order is only stated in the description";
                self.note_loss(at, what.to_owned(), "use a struct with named fields");
                draft.remarks.push(format!("Items in this order: {}.", order.join(", ")));
                Value::Object(Map::from_iter([("anyOf".to_owned(), Value::Array(kinds))]))
            }
        };
        draft.assertions.insert("items".to_owned(), items);
    }

    fn note_unevaluated(&mut self, flat: &Flat<'a>) {
        let Some((exact, layer)) = flat.find_keyword("unevaluatedItems") else {
            return;
        };
        if exact != &Value::Bool(true) && flat.find_keyword("prefixItems").is_none() {
            let at = pointer::child(layer, "unevaluatedItems");
            self.note_loss(
                &at,
                "`unevaluatedItems` is not in JSON Schema draft 7".to_owned(),
                "use `items`",
            );
        }
    }
}

/// Returns a label of an item for use in a sentence.
fn item_label(schema: &Value) -> String {
    let text = |key| schema.get(key).and_then(Value::as_str);
    if let Some(title) = text("title") {
        return title.to_owned();
    }
    if let Some(kind) = text("type") {
        return kind.to_owned();
    }
    let branches = schema.get("anyOf").and_then(Value::as_array);
    let labels: Option<Vec<_>> = branches.map(|branches| branches.iter().map(item_label).collect());
    labels.map_or_else(|| "any value".to_owned(), |labels| labels.join(" or "))
}
