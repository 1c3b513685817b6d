//! Retriever references: how a request refers to its retrievers.

use std::sync::Arc;

use crate::action::CustomAction;

/// A reference to a retriever: a value, or the name of a retriever in the registry of the run.
///
/// ```
/// use genkit::generate::RetrieverRef;
///
/// let notes = RetrieverRef::from("notes");
/// assert_eq!(notes.name(), "notes");
/// ```
#[derive(Clone)]
pub struct RetrieverRef(Kind);

#[derive(Clone)]
enum Kind {
    Named(String),
    Value(Arc<dyn CustomAction>),
}

impl RetrieverRef {
    #[doc(hidden)]
    pub fn from_action(action: Arc<dyn CustomAction>) -> Self {
        Self(Kind::Value(action))
    }

    /// Returns the name of the retriever.
    pub fn name(&self) -> &str {
        match &self.0 {
            Kind::Named(name) => name,
            Kind::Value(action) => action.flow().name(),
        }
    }

    /// Returns the retriever, if this is a reference by value.
    #[doc(hidden)]
    pub fn as_action(&self) -> Option<&Arc<dyn CustomAction>> {
        match &self.0 {
            Kind::Named(_) => None,
            Kind::Value(action) => Some(action),
        }
    }
}

impl From<&str> for RetrieverRef {
    fn from(name: &str) -> Self {
        Self(Kind::Named(name.to_owned()))
    }
}
