//! Middleware from closures.

use std::future::Future;

use super::chain::{Middleware, NextGenerate, NextModel, NextTool};
use genkit_core::BoxFuture;
use genkit_core::GenerateResponse;
use genkit_core::Result;
use genkit_core::{Message, ToolResponse};
use genkit_core::{ModelRequest, ModelResponse};
use genkit_core::{ToolCall, ToolOutcome};
use genkit_model::{ChunkSink, IntoResult};

/// Creates middleware from a closure that wraps each model call, for example a cache, a logger or a guard.
///
/// The closure calls `next.run(&request, &chunks)`, or returns a response without calling it. It may return the same
/// types as the closure of [`model::from_fn`](genkit_model::from_fn).
///
/// ```
/// use genkit::middleware::on_model;
/// use genkit::model::ModelResponse;
/// use genkit::testing::ScriptedModel;
/// use genkit::{Genkit, Registry};
/// use std::collections::HashMap;
/// use std::sync::{Arc, Mutex};
///
/// # #[tokio::main(flavor = "current_thread")]
/// # async fn main() -> genkit::Result<()> {
/// // A cache: repeated requests are served from memory.
/// let seen = Arc::new(Mutex::new(HashMap::<String, ModelResponse>::new()));
/// let cache = on_model(move |request, chunks, next| {
///     let seen = Arc::clone(&seen);
///     async move {
///         let key = serde_json::to_string(&request)?;
///         if let Some(known) = seen.lock().unwrap().get(&key) {
///             return Ok(known.clone());
///         }
///         let response = next.run(&request, &chunks).await?;
///         seen.lock().unwrap().insert(key, response.clone());
///         Ok(response)
///     }
/// });
///
/// let model = ScriptedModel::text("Blue.");
/// let genkit = Genkit::builder().registry(Registry::new()).default_model(model.clone());
/// let genkit = genkit.middleware(cache).build()?;
/// for _ in 0..2 {
///     assert_eq!(genkit.generate("What colour is the sky?").await?.text(), "Blue.");
/// }
/// assert_eq!(model.requests().len(), 1);
/// # Ok(())
/// # }
/// ```
///
/// To stream a response, send its chunks to `chunks`. If the closure sends none, the stream receives the whole response
/// as one chunk.
pub fn on_model<F, Fut>(function: F) -> impl Middleware
where
    F: Fn(ModelRequest, ChunkSink, NextModel) -> Fut + Send + Sync + 'static,
    Fut: Future<Output: MiddlewareResult<ModelResponse>> + Send + 'static,
{
    OnModel(function)
}

/// Creates middleware from a closure that wraps each tool call, for example a logger, a filter or a replacement for a
/// tool.
///
/// The closure calls `next.run(call)`, or returns an outcome without calling it. It returns a [`ToolOutcome`], a
/// `ToolResponse`, or a `genkit::Result` of one of them. An error ends the run. To return an error that the
/// model can read, use `call.request().respond(..)`.
///
/// ```
/// use genkit::middleware::on_tool;
/// use genkit::testing::ScriptedModel;
/// use genkit::message::ToolRequest;
/// use genkit::{model::ModelResponse, tool, tools};
/// use serde_json::json;
/// use std::sync::{Arc, Mutex};
///
/// /// Deletes a file.
/// #[tool]
/// async fn delete(path: String) -> String { format!("{path} is gone") }
///
/// # #[tokio::main(flavor = "current_thread")]
/// # async fn main() -> genkit::Result<()> {
/// // A logger:
/// let log = Arc::new(Mutex::new(Vec::new()));
/// let logged = Arc::clone(&log);
/// let logger = on_tool(move |call, next| {
///     logged.lock().unwrap().push(format!("{} {}", call.request().name, call.request().input));
///     next.run(call)
/// });
/// let model = ScriptedModel::new([
///     ModelResponse::from_tool_requests([ToolRequest::new("delete", json!({"path": "a.txt"}))]),
///     ModelResponse::from_text("Done."),
/// ]);
/// genkit::generate("Delete a.txt").model(model).tools(tools![delete]).middleware(logger).await?;
/// assert_eq!(*log.lock().unwrap(), [r#"delete {"path":"a.txt"}"#]);
/// # Ok(())
/// # }
/// ```
///
/// The closure can also inspect the outcome and return errors with `?`:
///
/// ```
/// use genkit::middleware::on_tool;
///
/// let timed = on_tool(|call, next| async move {
///     let (name, started) = (call.request().name.clone(), std::time::Instant::now());
///     let outcome = next.run(call).await?;
///     eprintln!("{name}: {:?} in {:?}", outcome.response(), started.elapsed());
///     Ok(outcome)
/// });
/// # let _ = timed;
/// ```
pub fn on_tool<F, Fut>(function: F) -> impl Middleware
where
    F: Fn(ToolCall, NextTool) -> Fut + Send + Sync + 'static,
    Fut: Future<Output: MiddlewareResult<ToolOutcome>> + Send + 'static,
{
    OnTool(function)
}

/// Creates middleware from a closure that wraps the whole run, for example to measure time, check the response or
/// retry the run.
///
/// The closure receives the request of the first turn and calls `next.run(request)`; to run the rest of the chain
/// again, clone `next`. It returns a [`GenerateResponse`] or a `genkit::Result<GenerateResponse>`.
///
/// ```
/// use genkit::middleware::{NextGenerate, on_generate};
/// use genkit::model::ModelRequest;
/// use genkit::testing::ScriptedModel;
/// use genkit::Message;
///
/// # #[tokio::main(flavor = "current_thread")]
/// # async fn main() -> genkit::Result<()> {
/// // Asks again if the response is too long:
/// let brief = on_generate(|request: ModelRequest, next: NextGenerate| async move {
///     let first = next.clone().run(request).await?;
///     if first.text().len() < 20 {
///         return Ok(first);
///     }
///     let messages = first.into_messages().into_iter().chain([Message::user("Shorter, please.")]);
///     next.run(ModelRequest::new(messages)).await
/// });
/// let model = ScriptedModel::texts(["It was the best of times, it was ..", "Good and bad."]);
/// let response = genkit::generate("How was it?").model(model).middleware(brief).await?;
/// assert_eq!(response.text(), "Good and bad.");
/// # Ok(())
/// # }
/// ```
pub fn on_generate<F, Fut>(function: F) -> impl Middleware
where
    F: Fn(ModelRequest, NextGenerate) -> Fut + Send + Sync + 'static,
    Fut: Future<Output: MiddlewareResult<GenerateResponse>> + Send + 'static,
{
    OnGenerate(function)
}

/// The return value of a middleware closure: the value, or a [`genkit::Result`](genkit_core::Result) of it.
///
/// The error type is always [`genkit::Error`](genkit_core::Error), so a closure that uses `?` does not have to name it.
#[diagnostic::on_unimplemented(
    message = "this middleware cannot return `{Self}`",
    label = "neither `{T}` nor a `genkit::Result` of it",
    note = "return `{T}` or `genkit::Result<{T}>`; convert other errors with `.context(\"what failed\")?` (`use genkit::ErrorContext;`)"
)]
pub trait MiddlewareResult<T> {
    #[doc(hidden)]
    fn into_result(self) -> Result<T>;
}

impl<T, V: MiddlewareResult<T>> MiddlewareResult<T> for Result<V> {
    fn into_result(self) -> Result<T> {
        self?.into_result()
    }
}

macro_rules! middleware_results {
    ($($given:ty => $returned:ty;)*) => {$(
        impl MiddlewareResult<$returned> for $given {
            fn into_result(self) -> Result<$returned> {
                IntoResult::into_result(self)
            }
        }
    )*};
}

middleware_results! {
    ModelResponse => ModelResponse;
    Message => ModelResponse;
    String => ModelResponse;
    &str => ModelResponse;
    ToolOutcome => ToolOutcome;
    ToolResponse => ToolOutcome;
    GenerateResponse => GenerateResponse;
}

struct OnModel<F>(F);
struct OnTool<F>(F);
struct OnGenerate<F>(F);

impl<F, Fut> Middleware for OnModel<F>
where
    F: Fn(ModelRequest, ChunkSink, NextModel) -> Fut + Send + Sync + 'static,
    Fut: Future<Output: MiddlewareResult<ModelResponse>> + Send + 'static,
{
    fn model<'a>(
        &'a self,
        request: &'a ModelRequest,
        chunks: &'a ChunkSink,
        next: NextModel,
    ) -> BoxFuture<'a, Result<ModelResponse>> {
        let answering = (self.0)(request.clone(), chunks.clone(), next);
        Box::pin(async move { answering.await.into_result() })
    }
}

impl<F, Fut> Middleware for OnTool<F>
where
    F: Fn(ToolCall, NextTool) -> Fut + Send + Sync + 'static,
    Fut: Future<Output: MiddlewareResult<ToolOutcome>> + Send + 'static,
{
    fn tool(&self, call: ToolCall, next: NextTool) -> BoxFuture<'_, Result<ToolOutcome>> {
        let answering = (self.0)(call, next);
        Box::pin(async move { answering.await.into_result() })
    }
}

impl<F, Fut> Middleware for OnGenerate<F>
where
    F: Fn(ModelRequest, NextGenerate) -> Fut + Send + Sync + 'static,
    Fut: Future<Output: MiddlewareResult<GenerateResponse>> + Send + 'static,
{
    fn generate(
        &self,
        request: ModelRequest,
        next: NextGenerate,
    ) -> BoxFuture<'_, Result<GenerateResponse>> {
        let answering = (self.0)(request, next);
        Box::pin(async move { answering.await.into_result() })
    }
}
