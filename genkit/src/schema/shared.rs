//! A schema that is shared, with the dialects that were made of it.

use std::ops::Deref;
use std::sync::{Arc, OnceLock};

use serde::{Deserialize, Deserializer, Serialize, Serializer};
use serde_json::Value;
#[cfg(feature = "http-model")]
use serde_json::value::RawValue;

/// A JSON schema that is cheap to clone. What providers make of it is made once.
///
/// It reads as its [`Value`]:
///
/// ```
/// use genkit::model::{OutputConfig, ModelRequest};
/// use genkit::SharedSchema;
///
/// let schema = SharedSchema::new(serde_json::json!({"type": "object"}));
/// assert_eq!(schema["type"], "object");
/// ```
#[derive(Clone)]
pub struct SharedSchema(Arc<Inner>);

struct Inner {
    exact: Value,
    dialects: [OnceLock<Dialect>; DIALECTS],
    #[cfg(feature = "http-model")]
    texts: [OnceLock<Option<Box<RawValue>>>; DIALECTS],
}

/// How many dialects there are.
const DIALECTS: usize = 3;

/// A place for a dialect of a schema.
#[derive(Clone, Copy)]
#[allow(dead_code, reason = "each belongs to the feature of its provider")]
pub(crate) enum Slot {
    GeminiJson,
    GeminiSubset,
    OpenAiStrict,
}

/// A schema in a provider's dialect; an error says why there is none.
pub(crate) type Dialect = Result<Value, String>;

impl SharedSchema {
    /// Shares `schema`.
    pub fn new(schema: Value) -> Self {
        Self(Arc::new(Inner {
            exact: schema,
            dialects: Default::default(),
            #[cfg(feature = "http-model")]
            texts: Default::default(),
        }))
    }

    /// What `make` makes of the schema, made once.
    #[allow(dead_code, reason = "called by providers")]
    pub(crate) fn dialect(&self, slot: Slot, make: impl FnOnce(&Value) -> Dialect) -> &Dialect {
        self.0.dialects[slot as usize].get_or_init(|| make(&self.0.exact))
    }

    /// The same as JSON, if there is a dialect: a request copies it, and writes no schema anew.
    #[cfg(feature = "http-model")]
    #[allow(dead_code, reason = "called by providers")]
    pub(crate) fn dialect_text(
        &self,
        slot: Slot,
        make: impl FnOnce(&Value) -> Dialect,
    ) -> Option<&RawValue> {
        let text = self.0.texts[slot as usize].get_or_init(|| {
            let schema = self.dialect(slot, make).as_ref().ok()?;
            serde_json::value::to_raw_value(schema).ok()
        });
        text.as_deref()
    }
}

impl Deref for SharedSchema {
    type Target = Value;

    fn deref(&self) -> &Value {
        &self.0.exact
    }
}

impl From<Value> for SharedSchema {
    fn from(schema: Value) -> Self {
        Self::new(schema)
    }
}

impl PartialEq for SharedSchema {
    fn eq(&self, other: &Self) -> bool {
        Arc::ptr_eq(&self.0, &other.0) || **self == **other
    }
}

impl std::fmt::Debug for SharedSchema {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        std::fmt::Debug::fmt(&**self, f)
    }
}

impl Serialize for SharedSchema {
    fn serialize<S: Serializer>(&self, serializer: S) -> Result<S::Ok, S::Error> {
        (**self).serialize(serializer)
    }
}

impl<'de> Deserialize<'de> for SharedSchema {
    fn deserialize<D: Deserializer<'de>>(deserializer: D) -> Result<Self, D::Error> {
        Value::deserialize(deserializer).map(Self::new)
    }
}
