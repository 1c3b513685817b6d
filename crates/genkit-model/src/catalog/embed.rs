//! Embedding texts with an embedder by its name, or as a value.

use std::future::IntoFuture;

use serde::Serialize;
use serde_json::Value;

use super::embedder_ref::EmbedderRef;
use super::error::Error as E;
use super::models::Models;
use crate::{EmbedRequest, EmbedResponse, EmbedTask};
use genkit_core::BoxFuture;
use genkit_core::Result;

/// Embedding call, about to be made: see `genkit::embed`.
///
/// It is a future: `.await` embeds them.
#[must_use = "nothing is embedded until `.await`"]
pub struct Embed {
    models: Models,
    embedder: EmbedderRef,
    request: EmbedRequest,
    /// A builder cannot fail: awaiting it does, and says why.
    config_error: Option<E>,
}

impl Embed {
    pub fn new(models: Models, embedder: EmbedderRef, request: EmbedRequest) -> Self {
        Self { models, embedder, request, config_error: None }
    }

    /// Dimensions: how many numbers each vector has, where the model can shorten them. Default is
    /// the model's own.
    pub fn dimensions(mut self, dimensions: u32) -> Self {
        self.request.dimensions = Some(dimensions);
        self
    }

    /// Task: what the vectors are for, where the model makes a difference. Default is nothing in
    /// particular.
    pub fn task(mut self, task: EmbedTask) -> Self {
        self.request.task = Some(task);
        self
    }

    /// Settings of the provider, which go to it as they are. They are merged with those that were given before; what does
    /// not serialize to an object is an error when it is awaited.
    pub fn config(mut self, settings: impl Serialize) -> Self {
        match serde_json::to_value(settings) {
            Ok(Value::Object(settings)) => self.request.config.extend(settings),
            Ok(value) => self.config_error = Some(E::ConfigNoObject(value)),
            Err(error) => self.config_error = Some(E::ConfigUnserializable(error.to_string())),
        }
        self
    }
}

impl IntoFuture for Embed {
    type Output = Result<EmbedResponse>;
    type IntoFuture = BoxFuture<'static, Result<EmbedResponse>>;

    fn into_future(self) -> Self::IntoFuture {
        Box::pin(async move {
            if let Some(error) = self.config_error {
                return Err(error.into());
            }
            self.models.embedder(&self.embedder)?.embed_with(self.request).await
        })
    }
}

impl std::fmt::Debug for Embed {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        f.debug_struct("Embed").field("embedder", &self.embedder).finish_non_exhaustive()
    }
}

#[cfg(test)]
mod tests {
    use crate::embedder_fn;

    #[tokio::test]
    async fn settings_are_an_object() {
        let embedder = embedder_fn("lengths", |_| async { Vec::new() });
        let error = crate::UPWARD::embed(embedder, ["a"]).config(5).await.unwrap_err();
        assert_eq!(error.to_string(), "`.config(..)` takes an object, not 5");
    }
}
