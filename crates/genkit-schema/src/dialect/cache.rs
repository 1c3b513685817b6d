//! A cache of the dialects that providers derive from one schema, keyed by type.

use std::any::TypeId;
use std::marker::PhantomData;
use std::sync::OnceLock;

use serde_json::Value;
use serde_json::value::RawValue;

use crate::conversion::warn_losses;
use crate::dialect::object_root::object_root;
use crate::dialect::validated::to_validated;
use crate::repair::{Patterns, repair};

/// A provider's dialect of JSON Schema.
pub trait Dialect: 'static {
    /// Converts a schema to this dialect, if the dialect can express it. Losses are logged. `owner` is the tool or the
    /// output that has the schema.
    fn convert_schema(exact: &Value, owner: &str) -> Option<Value>;
}

/// JSON Schema 2020-12, repaired.
pub struct RepairedDialect;

impl Dialect for RepairedDialect {
    fn convert_schema(exact: &Value, _: &str) -> Option<Value> {
        Some(exact.clone())
    }
}

/// The dialect `D` for the arguments of a tool: an object without a choice at its root, which strict validators accept.
pub struct ToolInput<D>(PhantomData<D>);

impl<D: Dialect> Dialect for ToolInput<D> {
    fn convert_schema(exact: &Value, owner: &str) -> Option<Value> {
        let (root, loss) = object_root(exact);
        warn_losses("the model", owner, loss.into_iter().collect());
        D::convert_schema(&to_validated(&root), owner)
    }
}

/// The dialects of one schema, each converted once. Entries are never removed, so references to them stay valid.
#[derive(Default)]
pub(crate) struct DialectCache {
    first: OnceLock<Box<CachedDialect>>,
}

struct CachedDialect {
    dialect: TypeId,
    converted: Option<Value>,
    text: OnceLock<Option<Box<RawValue>>>,
    next: OnceLock<Box<CachedDialect>>,
}

impl DialectCache {
    /// Returns the schema `exact` in the dialect `D`, if the dialect can express it.
    pub(crate) fn converted_value<D: Dialect>(&self, exact: &Value, owner: &str) -> Option<&Value> {
        self.find_entry::<D>(exact, owner).converted.as_ref()
    }

    /// Returns the schema as JSON text, so that requests do not serialize it again.
    pub(crate) fn converted_text<D: Dialect>(
        &self,
        exact: &Value,
        owner: &str,
    ) -> Option<&RawValue> {
        let cached = self.find_entry::<D>(exact, owner);
        let write = || serde_json::value::to_raw_value(cached.converted.as_ref()?).ok();
        cached.text.get_or_init(write).as_deref()
    }

    fn find_entry<D: Dialect>(&self, exact: &Value, owner: &str) -> &CachedDialect {
        let dialect = TypeId::of::<D>();
        let mut place = &self.first;
        loop {
            let cached = place.get_or_init(|| {
                let repaired = repair(exact.clone(), Patterns::All);
                let converted = D::convert_schema(&repaired.schema, owner);
                let (text, next) = (OnceLock::new(), OnceLock::new());
                Box::new(CachedDialect { dialect, converted, text, next })
            });
            if cached.dialect == dialect {
                return cached;
            }
            place = &cached.next;
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    struct Copied;
    struct RejectedSchema;

    impl Dialect for Copied {
        fn convert_schema(exact: &Value, _: &str) -> Option<Value> {
            Some(exact.clone())
        }
    }

    impl Dialect for RejectedSchema {
        fn convert_schema(_: &Value, _: &str) -> Option<Value> {
            None
        }
    }

    #[test]
    fn each_dialect_is_converted_once() {
        let cache = DialectCache::default();
        let exact = serde_json::json!({"type": "string"});
        assert_eq!(cache.converted_value::<Copied>(&exact, "a"), Some(&exact));
        assert_eq!(cache.converted_value::<RejectedSchema>(&exact, "a"), None);
        assert!(cache.converted_text::<RejectedSchema>(&exact, "a").is_none());
        assert_eq!(cache.converted_text::<Copied>(&exact, "a").unwrap().get(), exact.to_string());
        // A cached dialect is kept, regardless of the schema that is passed later.
        assert_eq!(cache.converted_value::<Copied>(&Value::Null, "a"), Some(&exact));
    }
}
