//! Fallback: other models where one fails.

use super::{Middleware, NextModel};
use crate::request::for_other_model;
use genkit_core::BoxFuture;
use genkit_core::internal::visible::Logged;
use genkit_core::{Error, ErrorKind, Result};
use genkit_core::{ModelRequest, ModelResponse};
use genkit_model::{ChunkSink, IntoModel, Model, ModelRef};

/// Fallback to other models where one fails, as middleware: see [`fallback()`].
#[derive(Clone)]
pub struct Fallback {
    models: Vec<ModelRef>,
    /// Default is what another provider may do better.
    kinds: Option<Vec<ErrorKind>>,
    keep_config: bool,
}

/// Fallback: asks the next of `models` where a model call fails because its provider is down,
/// overloaded, out of quota, or does not know the model. A call whose chunks were delivered is not
/// made again.
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
/// The settings of the first model are sent to the others too, but for its key, address and
/// version; see [`keep_config`](Fallback::keep_config).
pub fn fallback<M: IntoModel>(models: impl IntoIterator<Item = M>) -> Fallback {
    Fallback {
        models: models.into_iter().map(IntoModel::into_model).collect(),
        kinds: None,
        keep_config: true,
    }
}

impl Fallback {
    /// Error kinds: falls back for errors of these alone.
    #[must_use]
    pub fn kinds(mut self, kinds: impl IntoIterator<Item = ErrorKind>) -> Self {
        self.kinds = Some(kinds.into_iter().collect());
        self
    }

    /// Settings of the first model: whether the other models get them, some of which may be one
    /// provider's own. Default is true.
    #[must_use]
    pub fn keep_config(mut self, yes: bool) -> Self {
        self.keep_config = yes;
        self
    }

    /// The request as another model takes it.
    fn request_for(&self, model: &dyn Model, request: &ModelRequest) -> ModelRequest {
        let mut request = request.clone();
        if !self.keep_config {
            request.config.clear();
        }
        for_other_model(request, model)
    }

    fn helps(&self, error: &Error) -> bool {
        use ErrorKind::{
            Aborted, DeadlineExceeded, Internal, NotFound, ResourceExhausted, Unavailable,
            Unimplemented,
        };
        match (&self.kinds, error.kind()) {
            // Of the run, not of its model: the end of its budget.
            _ if error.is_fatal() => false,
            (Some(kinds), kind) => kinds.contains(&kind),
            (None, Unavailable | DeadlineExceeded | ResourceExhausted | Aborted | Internal) => true,
            (None, kind) => matches!(kind, NotFound | Unimplemented),
        }
    }
}

impl Middleware for Fallback {
    fn model<'a>(
        &'a self,
        request: &'a ModelRequest,
        chunks: &'a ChunkSink,
        next: NextModel,
    ) -> BoxFuture<'a, Result<ModelResponse>> {
        Box::pin(async move {
            let sent = chunks.count();
            let mut error = match next.clone().run(request, chunks).await {
                Ok(response) => return Ok(response),
                Err(error) => error,
            };
            for other in &self.models {
                if !self.helps(&error) || chunks.count() != sent {
                    return Err(error);
                }
                let model = match next.models().find(other) {
                    Ok(model) => model,
                    // One that cannot be used is no reason not to ask the next.
                    Err(unusable) => {
                        tracing::warn!(model = other.name(), error = %Logged::text(&unusable), "a fallback model cannot be used");
                        continue;
                    }
                };
                tracing::warn!(error = %Logged::text(&error), next = model.name(), "a model failed, another is asked");
                let request = self.request_for(&*model, request);
                match next.clone().run_on(model, &request, chunks).await {
                    Ok(response) => return Ok(response),
                    Err(next) => error = next,
                }
            }
            Err(error)
        })
    }
}
