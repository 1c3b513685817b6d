//! Fallback: calls other models if one fails.

use super::NextModel;
use super::chain::impl_model_middleware;
use crate::request::adapt_request;
use genkit_core::internal::visible::Logged;
use genkit_core::{Error, ErrorKind, Result};
use genkit_core::{ModelRequest, ModelResponse};
use genkit_model::{ChunkSink, IntoModel, Model, ModelRef};

/// Middleware that calls other models if a model fails; created by [`fallback()`].
#[derive(Clone)]
pub struct Fallback {
    models: Vec<ModelRef>,
    /// The error kinds that cause a fallback. `None` means the default kinds.
    kinds: Option<Vec<ErrorKind>>,
    keep_config: bool,
}

/// Creates middleware for fallback: if a model call fails with an error that another model may avoid, such as an
/// unavailable provider, an exhausted quota or an unknown model, the next of `models` is called. A call that has
/// already delivered chunks is not repeated.
///
/// ```
/// use genkit::middleware::fallback;
/// use genkit::testing::ScriptedModel;
/// use genkit::{Error, ErrorKind};
///
/// # #[tokio::main(flavor = "current_thread")]
/// # async fn main() -> genkit::Result<()> {
/// let down = ScriptedModel::new([Err(Error::new(ErrorKind::Unavailable, "down"))]);
/// let spare = ScriptedModel::text("hello");
/// let response = genkit::generate("hi").model(down).middleware(fallback([spare])).await?;
/// assert_eq!(response.text(), "hello");
/// # Ok(())
/// # }
/// ```
///
/// The settings of the first model are also sent to the other models, except for account settings (API key and base
/// URL) and the version; see [`keep_config`](Fallback::keep_config).
pub fn fallback<M: IntoModel>(models: impl IntoIterator<Item = M>) -> Fallback {
    Fallback {
        models: models.into_iter().map(IntoModel::into_model).collect(),
        kinds: None,
        keep_config: true,
    }
}

impl Fallback {
    /// Sets the error kinds that cause a fallback. Other errors are returned. Default is every kind of error that
    /// another model may avoid.
    #[must_use]
    pub fn kinds(mut self, kinds: impl IntoIterator<Item = ErrorKind>) -> Self {
        self.kinds = Some(kinds.into_iter().collect());
        self
    }

    /// Sets whether fallback models receive the settings of the first model. Some settings may be specific to the first
    /// model's provider. Default is `true`.
    #[must_use]
    pub fn keep_config(mut self, yes: bool) -> Self {
        self.keep_config = yes;
        self
    }

    /// Adapts the request to another model.
    fn request_for(&self, model: &dyn Model, request: &ModelRequest) -> ModelRequest {
        let mut request = request.clone();
        if !self.keep_config {
            request.config.clear();
        }
        adapt_request(request, model)
    }

    fn is_covered(&self, error: &Error) -> bool {
        use ErrorKind::{
            Aborted, DeadlineExceeded, Internal, NotFound, ResourceExhausted, Unavailable,
            Unimplemented,
        };
        match (&self.kinds, error.kind()) {
            // A fatal error ends the whole run, for example because its budget is exhausted.
            _ if error.is_fatal() => false,
            (Some(kinds), kind) => kinds.contains(&kind),
            (None, Unavailable | DeadlineExceeded | ResourceExhausted | Aborted | Internal) => true,
            (None, kind) => matches!(kind, NotFound | Unimplemented),
        }
    }
}

impl Fallback {
    async fn wrap_model_call(
        &self,
        request: &ModelRequest,
        chunks: &ChunkSink,
        next: NextModel,
    ) -> Result<ModelResponse> {
        let sent = chunks.count();
        let mut error = match next.clone().run(request, chunks).await {
            Ok(response) => return Ok(response),
            Err(error) => error,
        };
        for other in &self.models {
            if !self.is_covered(&error) || chunks.count() != sent {
                return Err(error);
            }
            let model = match next.models().find(other) {
                Ok(model) => model,
                // Continue with the next model if this one cannot be used.
                Err(unusable) => {
                    tracing::warn!(model = other.name(), error = %Logged::text(&unusable), "skipping a fallback model that cannot be used");
                    continue;
                }
            };
            tracing::warn!(error = %Logged::text(&error), next = model.name(), "the model failed; calling the next model");
            let request = self.request_for(&*model, request);
            match next.clone().run_on(model, &request, chunks).await {
                Ok(response) => return Ok(response),
                Err(next) => error = next,
            }
        }
        Err(error)
    }
}

impl_model_middleware!(Fallback);
