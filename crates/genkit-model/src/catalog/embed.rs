//! The call that embeds texts.

use std::future::IntoFuture;

use serde::Serialize;
use serde_json::{Value, json};

use super::embedder_ref::EmbedderRef;
use super::error::Error as E;
use super::models::Models;
use crate::{EmbedRequest, EmbedResponse, EmbedTask, Embedder};
use genkit_core::internal::trace::{self, NewSpan, SpanKind};
use genkit_core::{BoxFuture, Document, Result};

/// An embedding call, which is sent when it is awaited; see `genkit::embed`.
#[must_use = "nothing is embedded until `.await`"]
pub struct Embed {
    models: Models,
    embedder: EmbedderRef,
    request: EmbedRequest,
    /// An error of the builder, returned when the call is awaited.
    config_error: Option<E>,
}

impl Embed {
    #[doc(hidden)]
    pub fn new(models: Models, embedder: EmbedderRef, request: EmbedRequest) -> Self {
        Self { models, embedder, request, config_error: None }
    }

    /// Sets the number of dimensions of each vector, for models that can shorten them. Default is the model's own
    /// number.
    pub fn dimensions(mut self, dimensions: u32) -> Self {
        self.request.dimensions = Some(dimensions);
        self
    }

    /// Sets the task that the vectors are used for. Some models create different vectors for different tasks. Default
    /// is none.
    pub fn task(mut self, task: EmbedTask) -> Self {
        self.request.task = Some(task);
        self
    }

    /// Adds provider-specific settings, which are sent to the provider unchanged. They are merged with the settings of
    /// earlier calls to this method. If `settings` cannot be serialized to a JSON object, awaiting the call returns an
    /// error.
    pub fn config(mut self, settings: impl Serialize) -> Self {
        match serde_json::to_value(settings) {
            Ok(Value::Object(settings)) => self.request.config.extend(settings),
            Ok(value) => self.config_error = Some(E::ConfigNoObject(value)),
            Err(error) => self.config_error = Some(E::ConfigUnserializable(error.to_string())),
        }
        self
    }
}

/// Computes embeddings, in a trace span.
pub async fn embed_in_span(
    embedder: &dyn Embedder,
    request: EmbedRequest,
) -> Result<EmbedResponse> {
    let texts = if trace::is_on() { request.texts.clone() } else { Vec::new() };
    let input = || {
        let documents: Vec<Document> = texts.iter().map(|text| text.as_str().into()).collect();
        json!({ "input": documents })
    };
    let name = embedder.name().to_owned();
    let span = NewSpan { name: &name, kind: SpanKind::Action("embedder"), input: &input };
    trace::trace_work(span, embedder.embed_with(request), embedding_list).await
}

/// Returns the response of an embedder in the form of Genkit's developer tools.
pub fn embedding_list(response: &EmbedResponse) -> Value {
    let embeddings = response.embeddings.iter();
    let list: Vec<_> = embeddings.map(|one| json!({ "embedding": one.values() })).collect();
    json!({ "embeddings": list })
}

impl IntoFuture for Embed {
    type Output = Result<EmbedResponse>;
    type IntoFuture = BoxFuture<'static, Result<EmbedResponse>>;

    fn into_future(self) -> Self::IntoFuture {
        Box::pin(async move {
            if let Some(error) = self.config_error {
                return Err(error.into());
            }
            let embedder = self.models.find_embedder(&self.embedder)?;
            embed_in_span(&*embedder, self.request).await
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
    use super::*;
    use crate::embedder_fn;

    #[tokio::test]
    async fn settings_are_an_object() {
        let embedder = embedder_fn("lengths", |_| async { Vec::new() });
        let error = Embed::new(Models::default(), embedder.into(), EmbedRequest::new(["a"]))
            .config(5)
            .await
            .unwrap_err();
        assert_eq!(error.to_string(), "`.config(..)` must be an object, not `5`");
    }
}
