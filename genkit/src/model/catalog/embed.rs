//! Embedding texts with an embedder by its name, or as a value.

use std::future::IntoFuture;

use serde_json::{Map, Value};

use super::embedder_ref::EmbedderRef;
use super::models::Models;
use crate::error::Result;
use crate::future::BoxFuture;
use crate::model::{EmbedRequest, EmbedResponse, EmbedTask};

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
