//! Model references: a model by its name, or as a value.

use std::sync::Arc;

use crate::model::Model;

/// A model by its name, `"provider/model"`, or as a value.
///
/// ```
/// use genkit::model::ModelRef;
/// use genkit::testing::ScriptedModel;
///
/// let named = ModelRef::from("gemini/gemini-2.5-flash");
/// let given = ModelRef::from(ScriptedModel::text("hello").named("house/polite"));
/// assert_eq!((named.name(), given.name()), ("gemini/gemini-2.5-flash", "house/polite"));
/// ```
#[derive(Clone)]
pub struct ModelRef(pub(super) Kind);

#[derive(Clone)]
pub(super) enum Kind {
    Name(String),
    Value(Arc<dyn Model>),
}

impl ModelRef {
    /// Its name.
    pub fn name(&self) -> &str {
        match &self.0 {
            Kind::Name(name) => name,
            Kind::Value(model) => model.name(),
        }
    }
}

impl std::fmt::Debug for ModelRef {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        f.debug_tuple("ModelRef").field(&self.name()).finish()
    }
}

impl From<&str> for ModelRef {
    fn from(name: &str) -> Self {
        Self(Kind::Name(name.to_owned()))
    }
}

impl From<String> for ModelRef {
    fn from(name: String) -> Self {
        Self(Kind::Name(name))
    }
}

impl<M: Model> From<M> for ModelRef {
    fn from(model: M) -> Self {
        Self(Kind::Value(Arc::new(model)))
    }
}
