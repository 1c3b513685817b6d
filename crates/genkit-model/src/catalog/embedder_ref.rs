//! References to embedders, by name or by value.

use std::sync::Arc;

use crate::Embedder;

/// A reference to an embedder: its name, `"provider/model"`, or a value.
///
/// ```
/// use genkit::model::{EmbedderRef, Embedding, embedder_fn};
///
/// let named = EmbedderRef::from("gemini/gemini-embedding-001");
/// let lengths = embedder_fn("lengths", |texts| async move {
///     texts.iter().map(|text| Embedding::new([text.len() as f64])).collect::<Vec<_>>()
/// });
/// assert_eq!((named.name(), EmbedderRef::from(lengths).name()), ("gemini/gemini-embedding-001", "lengths"));
/// ```
#[derive(Clone)]
pub struct EmbedderRef(pub(super) EmbedderKind);

#[derive(Clone)]
pub(super) enum EmbedderKind {
    Name(String),
    Value(Arc<dyn Embedder>),
}

impl EmbedderRef {
    /// Returns the name of the embedder.
    pub fn name(&self) -> &str {
        match &self.0 {
            EmbedderKind::Name(name) => name,
            EmbedderKind::Value(embedder) => embedder.name(),
        }
    }
}

impl std::fmt::Debug for EmbedderRef {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        f.debug_tuple("EmbedderRef").field(&self.name()).finish()
    }
}

impl From<&str> for EmbedderRef {
    fn from(name: &str) -> Self {
        Self(EmbedderKind::Name(name.to_owned()))
    }
}

impl From<String> for EmbedderRef {
    fn from(name: String) -> Self {
        Self(EmbedderKind::Name(name))
    }
}

impl<E: Embedder> From<E> for EmbedderRef {
    fn from(embedder: E) -> Self {
        Self(EmbedderKind::Value(Arc::new(embedder)))
    }
}
