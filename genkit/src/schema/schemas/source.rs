//! Where a schema comes from, and what is made of it.

use std::collections::BTreeMap;
use std::sync::{Arc, Mutex, OnceLock, Weak};

#[cfg(feature = "mcp-server")]
use serde_json::Map;
use serde_json::Value;

use crate::schema::bounds::Shape;
use crate::schema::check::Checker;
use crate::schema::conversion::Degraded;
use crate::schema::portable;
use crate::schema::shared::Schema;
use crate::sync::lock;

/// Where a schema comes from.
pub(super) enum Origin {
    Input(Box<dyn Fn() -> Value + Send + Sync>),
    Output(fn() -> Option<Value>),
    /// From a type that is not the returned one.
    Declared(fn() -> Value),
    Written(Schema),
}

impl Origin {
    pub(super) fn written(schema: Value) -> Self {
        Self::Written(Schema::new(schema))
    }
}

/// A schema and what is made of it, each on first use.
pub(super) struct Source {
    origin: Origin,
    exact: OnceLock<Option<Schema>>,
    portable: OnceLock<Option<Served>>,
    checker: OnceLock<Checker>,
}

/// What clients get.
pub(super) struct Served {
    pub(super) schema: Value,
    #[cfg(feature = "mcp-server")]
    pub(super) object: Arc<Map<String, Value>>,
    pub(super) degraded: Vec<Degraded>,
}

impl Source {
    pub(super) fn shared(origin: Origin) -> Arc<Self> {
        Arc::new(Self::new(origin))
    }

    /// Of arguments that a type reads: one for all of that type while there is any.
    pub(super) fn of_input(make: fn() -> Value) -> Arc<Self> {
        static SHARED: Sharing = Sharing::new();
        SHARED.source((make as *const ()).addr(), || Origin::Input(Box::new(make)))
    }

    /// Of results, likewise.
    pub(super) fn of_result(make: fn() -> Option<Value>) -> Arc<Self> {
        static SHARED: Sharing = Sharing::new();
        SHARED.source((make as *const ()).addr(), || Origin::Output(make))
    }

    fn new(origin: Origin) -> Self {
        Self { origin, exact: OnceLock::new(), portable: OnceLock::new(), checker: OnceLock::new() }
    }

    pub(super) fn exact(&self) -> Option<&Schema> {
        match &self.origin {
            Origin::Written(schema) => Some(schema),
            Origin::Input(make) => self.exact.get_or_init(|| Some(Schema::new(make()))).as_ref(),
            Origin::Declared(make) => self.exact.get_or_init(|| Some(Schema::new(make()))).as_ref(),
            Origin::Output(make) => self.exact.get_or_init(|| make().map(Schema::new)).as_ref(),
        }
    }

    pub(super) fn portable(&self) -> Option<&Served> {
        let make = || {
            let exact = self.exact()?;
            let (schema, degraded) = match self.origin {
                // What a person wrote is served as it is.
                Origin::Written(_) => (Value::clone(exact), Vec::new()),
                _ => {
                    let portable = portable::portable(exact);
                    (portable.schema, portable.degraded)
                }
            };
            Some(Served {
                #[cfg(feature = "mcp-server")]
                object: Arc::new(schema.as_object().cloned().unwrap_or_default()),
                schema,
                degraded,
            })
        };
        self.portable.get_or_init(make).as_ref()
    }

    pub(super) fn is_written(&self) -> bool {
        matches!(self.origin, Origin::Written(_) | Origin::Declared(_))
    }

    pub(super) fn checker(&self) -> Option<&Checker> {
        let shape = match &self.origin {
            // What the function returns is another type, or none: nothing holds by construction.
            Origin::Written(_) | Origin::Declared(_) => Shape::Written,
            Origin::Input(_) => Shape::Read,
            // A type writes what its schema says.
            Origin::Output(_) => return None,
        };
        if let Some(checker) = self.checker.get() {
            return Some(checker);
        }
        let exact = self.exact()?;
        Some(self.checker.get_or_init(|| Checker::new(exact, shape)))
    }
}

/// The sources of types that some action has, by what makes their schema: functions with one address do the same.
struct Sharing(Mutex<BTreeMap<usize, Weak<Source>>>);

impl Sharing {
    const fn new() -> Self {
        Self(Mutex::new(BTreeMap::new()))
    }

    fn source(&self, make: usize, origin: impl FnOnce() -> Origin) -> Arc<Source> {
        // There are as many entries as types, however many actions come and go.
        let mut known = lock(&self.0);
        let entry = known.entry(make).or_default();
        entry.upgrade().unwrap_or_else(|| {
            let source = Source::shared(origin());
            *entry = Arc::downgrade(&source);
            source
        })
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::schema::{input_of, output_of};

    #[test]
    fn what_has_one_type_has_one_schema_while_it_is_there() {
        let (one, other) = (Source::of_input(input_of::<i64>), Source::of_input(input_of::<i64>));
        assert!(Arc::ptr_eq(&one, &other));
        assert!(!Arc::ptr_eq(&one, &Source::of_input(input_of::<String>)));
        let number: fn() -> Option<Value> = || Some(output_of::<i64>());
        let result = Source::of_result(number);
        assert!(Arc::ptr_eq(&result, &Source::of_result(number)));
        let gone = Arc::downgrade(&one);
        drop((one, other));
        assert!(gone.upgrade().is_none(), "it is not kept for ever");
        assert_eq!(Source::of_input(input_of::<i64>).exact().unwrap()["type"], "integer");
    }
}
