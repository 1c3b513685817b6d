//! Nulls that stand for "nothing to say".

use serde_json::{Map, Value};

/// How many references are followed from one value. Default is 16: a loop of them ends.
const MAX_HOPS: usize = 16;

/// Takes out the properties that are null although they may be left out: a model that must name
/// each property, as OpenAI's strict mode asks, writes null for those that it would leave out.
///
/// `forced` says that the model had to name each property. Otherwise a null that `exact` allows
/// means something, and stays.
pub(crate) fn drop_optional_nulls(value: &mut Value, exact: &Value, forced: bool) {
    Walk { root: exact, forced }.value(value, exact);
}

struct Walk<'a> {
    root: &'a Value,
    forced: bool,
}

impl Walk<'_> {
    // As deep as the value, which its parser limits.
    fn value(&self, value: &mut Value, schema: &Value) {
        let Some(schema) = self.resolve(schema) else { return };
        match value {
            Value::Object(object) => self.object(object, schema),
            Value::Array(items) => {
                let fixed = schema.get("prefixItems").and_then(Value::as_array);
                for (at, item) in items.iter_mut().enumerate() {
                    let own = fixed.and_then(|fixed| fixed.get(at)).or(schema.get("items"));
                    if let Some(own) = own {
                        self.value(item, own);
                    }
                }
                if let Some(branch) = self.branch(&Value::Null, schema, "items") {
                    items.iter_mut().for_each(|item| self.value(item, &branch["items"]));
                }
            }
            _ => {}
        }
    }

    fn object(&self, object: &mut Map<String, Value>, schema: &Map<String, Value>) {
        if let Some(properties) = schema.get("properties").and_then(Value::as_object) {
            let required = schema.get("required").and_then(Value::as_array);
            let is_required =
                |name: &str| required.is_some_and(|all| all.iter().any(|one| one == name));
            object.retain(|name, value| match properties.get(name) {
                Some(own) if value.is_null() => {
                    is_required(name) || (!self.forced && self.takes_null(own))
                }
                _ => true,
            });
            for (name, value) in object.iter_mut() {
                if let Some(own) = properties.get(name) {
                    self.value(value, own);
                }
            }
        }
        if let Some(free) = schema.get("additionalProperties").filter(|free| free.is_object()) {
            let known = schema.get("properties").and_then(Value::as_object);
            for (name, value) in object.iter_mut() {
                if known.is_none_or(|known| !known.contains_key(name)) {
                    self.value(value, free);
                }
            }
        }
    }

    fn resolve<'b>(&'b self, schema: &'b Value) -> Option<&'b Map<String, Value>> {
        let mut schema = schema.as_object()?;
        for _ in 0..MAX_HOPS {
            let Some(Value::String(reference)) = schema.get("$ref") else { return Some(schema) };
            schema = self.root.pointer(reference.strip_prefix('#')?)?.as_object()?;
        }
        None
    }
}
