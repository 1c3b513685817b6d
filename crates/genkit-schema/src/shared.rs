//! A shared schema with its cached dialects.

use std::ops::Deref;
use std::sync::{Arc, OnceLock};

use serde::{Deserialize, Deserializer, Serialize, Serializer};
use serde_json::Value;
use serde_json::value::RawValue;

use super::bounds::{Bounds, Shape};
use super::dialect::property_names::PropertyNames;
use super::dialect::{Dialect, DialectCache};
use super::error::Error as E;

/// A JSON Schema that is cheap to clone, with a cache of the dialects that providers derive from it.
///
/// It dereferences to its [`Value`]:
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
    /// The bounds for values that are not deserialized into a type.
    whole_bounds: OnceLock<CompiledBounds>,
    dialects: DialectCache,
    /// The names that providers reject, if there are any.
    names: OnceLock<Option<Box<PropertyNames>>>,
}

impl Schema {
    /// Creates a shared JSON Schema from a value.
    pub fn new(schema: Value) -> Self {
        Self(Arc::new(ExactSchema {
            exact: schema,
            bounds: OnceLock::new(),
            whole_bounds: OnceLock::new(),
            dialects: DialectCache::default(),
            names: OnceLock::new(),
        }))
    }

    /// Returns the assertions beyond those that deserializing a type checks, compiled once.
    #[doc(hidden)]
    pub fn bounds(&self) -> crate::error::Result<Option<&Bounds>> {
        self.compiled_bounds(&self.0.bounds, Shape::Read)
    }

    /// Returns all assertions, compiled once, for values that are not deserialized into a type.
    #[doc(hidden)]
    pub fn whole_bounds(&self) -> crate::error::Result<Option<&Bounds>> {
        self.compiled_bounds(&self.0.whole_bounds, Shape::Written)
    }

    fn compiled_bounds<'s>(
        &self,
        place: &'s OnceLock<CompiledBounds>,
        shape: Shape,
    ) -> crate::error::Result<Option<&'s Bounds>> {
        let compile = || Bounds::compile(self, shape).map_err(|why| why.to_string());
        match place.get_or_init(compile) {
            Ok(bounds) => Ok(bounds.as_ref()),
            Err(why) => Err(E::Unusable(why.clone())),
        }
    }

    /// Returns the mapping of property names that providers reject, or `None` if there are none.
    #[doc(hidden)]
    pub fn property_names(&self) -> Option<&PropertyNames> {
        self.0.names.get_or_init(|| PropertyNames::new(self).map(Box::new)).as_deref()
    }

    /// Returns the schema in the dialect of a provider, converted once, or `None` if the dialect cannot express it.
    #[doc(hidden)]
    pub fn dialect<D: Dialect>(&self, owner: &str) -> Option<&Value> {
        self.0.dialects.converted_value::<D>(self, owner)
    }

    /// Returns the schema in the dialect of a provider as JSON text.
    #[doc(hidden)]
    pub fn dialect_text<D: Dialect>(&self, owner: &str) -> Option<&RawValue> {
        self.0.dialects.converted_text::<D>(self, owner)
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
