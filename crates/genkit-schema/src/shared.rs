//! A schema that is shared, with the dialects that were made of it.

use std::ops::Deref;
use std::sync::{Arc, OnceLock};

use serde::{Deserialize, Deserializer, Serialize, Serializer};
use serde_json::Value;
use serde_json::value::RawValue;

use super::bounds::{Bounds, Shape};
use super::dialect::{Dialect, DialectCache};
use super::error::Error as E;

/// JSON Schema that is cheap to clone. What providers make of it is made once.
///
/// It reads as its [`Value`]:
///
/// ```
/// use genkit::model::{OutputConfig, ModelRequest};
/// use genkit::model::Schema;
///
/// let schema = Schema::new(serde_json::json!({"type": "object"}));
/// assert_eq!(schema["type"], "object");
/// ```
#[derive(Clone)]
pub struct Schema(Arc<ExactSchema>);

type CompiledBounds = std::result::Result<Option<Bounds>, String>;

struct ExactSchema {
    exact: Value,
    bounds: OnceLock<CompiledBounds>,
    /// The same for values that no type reads.
    whole_bounds: OnceLock<CompiledBounds>,
    dialects: DialectCache,
}

impl Schema {
    /// JSON Schema of this value, shared.
    pub fn new(schema: Value) -> Self {
        Self(Arc::new(ExactSchema {
            exact: schema,
            bounds: OnceLock::new(),
            whole_bounds: OnceLock::new(),
            dialects: DialectCache::default(),
        }))
    }

    /// What it asserts beyond a type that reads a value, compiled once.
    pub fn bounds(&self) -> crate::error::Result<Option<&Bounds>> {
        self.compiled(&self.0.bounds, Shape::Read)
    }

    /// All that it asserts, compiled once: for a value that no type reads.
    pub fn whole_bounds(&self) -> crate::error::Result<Option<&Bounds>> {
        self.compiled(&self.0.whole_bounds, Shape::Written)
    }

    fn compiled<'s>(
        &self,
        place: &'s OnceLock<CompiledBounds>,
        shape: Shape,
    ) -> crate::error::Result<Option<&'s Bounds>> {
        let compile = || Bounds::compile(self, shape).map_err(|why| why.to_string());
        match place.get_or_init(compile) {
            Ok(bounds) => Ok(bounds.as_ref()),
            Err(why) => Err(E::Unusable(why.clone()).into()),
        }
    }

    /// The schema in the dialect of a provider, converted once; `None` if that cannot express it.
    #[allow(dead_code, reason = "a provider sends values or texts")]
    pub fn dialect<D: Dialect>(&self, owner: &str) -> Option<&Value> {
        self.0.dialects.value::<D>(self, owner)
    }

    /// The same as JSON text.
    #[allow(dead_code, reason = "a provider sends values or texts")]
    pub fn dialect_text<D: Dialect>(&self, owner: &str) -> Option<&RawValue> {
        self.0.dialects.text::<D>(self, owner)
    }
}

impl Deref for Schema {
    type Target = Value;

    fn deref(&self) -> &Value {
        &self.0.exact
    }
}

impl From<Value> for Schema {
    fn from(schema: Value) -> Self {
        Self::new(schema)
    }
}

impl PartialEq for Schema {
    fn eq(&self, other: &Self) -> bool {
        Arc::ptr_eq(&self.0, &other.0) || **self == **other
    }
}

impl std::fmt::Debug for Schema {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        std::fmt::Debug::fmt(&**self, f)
    }
}

impl Serialize for Schema {
    fn serialize<S: Serializer>(&self, serializer: S) -> Result<S::Ok, S::Error> {
        (**self).serialize(serializer)
    }
}

impl<'de> Deserialize<'de> for Schema {
    fn deserialize<D: Deserializer<'de>>(deserializer: D) -> Result<Self, D::Error> {
        Value::deserialize(deserializer).map(Self::new)
    }
}
