//! Embedding texts with an embedder by its name, or as a value.

use std::future::IntoFuture;
use std::sync::Arc;

use serde_json::{Map, Value};

use super::models::Models;
use crate::error::Result;
use crate::future::BoxFuture;
use crate::model::{EmbedRequest, EmbedResponse, EmbedTask, Embedder};

/// An embedder by its name, `"provider/model"`, or as a value.
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
    /// Its name.
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

/// Texts that are about to be embedded: see [`genkit::embed`](crate::embed()).
///
/// It is a future: `.await` embeds them.
#[must_use = "nothing is embedded until `.await`"]
pub struct Embed {
    models: Models,
    embedder: EmbedderRef,
    request: EmbedRequest,
}

impl Embed {
    pub(crate) fn new(models: Models, embedder: EmbedderRef, request: EmbedRequest) -> Self {
        Self { models, embedder, request }
    }

    /// How many numbers each vector has, where the model can shorten them. Default is the model's own.
    pub fn dimensions(mut self, dimensions: u32) -> Self {
        self.request.dimensions = Some(dimensions);
        self
    }

    /// What the vectors are for, where the model makes a difference. Default is nothing in particular.
    pub fn task(mut self, task: EmbedTask) -> Self {
        self.request.task = Some(task);
        self
    }

    /// Settings of the provider, an object, which go to it as they are. Those that were given before stay.
    pub fn config(mut self, settings: Map<String, Value>) -> Self {
        self.request.config.extend(settings);
        self
    }
}

impl IntoFuture for Embed {
    type Output = Result<EmbedResponse>;
    type IntoFuture = BoxFuture<'static, Result<EmbedResponse>>;

    fn into_future(self) -> Self::IntoFuture {
        Box::pin(
            async move { self.models.embedder(&self.embedder)?.embed_with(self.request).await },
        )
    }
}

impl std::fmt::Debug for Embed {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        f.debug_struct("Embed").field("embedder", &self.embedder).finish_non_exhaustive()
    }
}
