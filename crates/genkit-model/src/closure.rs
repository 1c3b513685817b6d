//! Models created from closures.

use std::fmt;
use std::future::Future;
use std::sync::Arc;

use super::info::ModelInfo;
use super::interface::{ChunkSink, Model};
use genkit_core::BoxFuture;
use genkit_core::Message;
use genkit_core::ModelRequest;
use genkit_core::ModelResponse;
use genkit_core::internal::error::BoxError;
use genkit_core::{Error, Result};
use genkit_core::{GenerateResponse, ToolOutcome, ToolResponse};

type Function =
    dyn Fn(ModelRequest, ChunkSink) -> BoxFuture<'static, Result<ModelResponse>> + Send + Sync;

/// A model created from a closure; see [`from_fn`].
#[derive(Clone)]
pub struct FnModel {
    name: String,
    info: ModelInfo,
    function: Arc<Function>,
}

/// Creates a custom model from a closure, such as a fake for tests or a wrapper around your own
/// service.
///
/// The closure receives each request and a [`ChunkSink`] to send chunks to if they [are
/// wanted](ChunkSink::is_wanted). It returns text, a [`Message`], a [`ModelResponse`], or a
/// `Result` of one of these with any error type, like a tool.
///
/// ```
/// use genkit::model::{self, GenerateChunk, ModelResponse};
/// use genkit::message::ToolRequest;
/// use genkit::{tool, tools};
/// use serde_json::json;
///
/// /// Adds.
/// #[tool]
/// async fn add(a: i64, b: i64) -> i64 { a + b }
///
/// # #[tokio::main(flavor = "current_thread")]
/// # async fn main() -> genkit::Result<()> {
/// // A fake that calls a tool, and then reports the tool's result:
/// let fake = model::from_fn("fake", |request, _| async move {
///     match request.messages.last().and_then(|message| message.content[0].as_tool_response()) {
///         Some(answer) => ModelResponse::from_text(format!("It is {}.", answer.output)),
///         None => ModelResponse::from_tool_requests([ToolRequest::new("add", json!({"a": 2, "b": 3}))]),
///     }
/// });
/// let response = genkit::generate("2 + 3?").model(fake).tools(tools![add]).await?;
/// assert_eq!(response.text(), "It is 5.");
///
/// // A model that streams, and that may fail with any error:
/// let counts = model::from_fn("counts", |request, chunks| async move {
///     let until: u32 = request.messages[0].text().parse()?;
///     for number in 1..=until {
///         chunks.send(GenerateChunk::from_text(format!("{number} ")));
///     }
///     Ok::<_, std::num::ParseIntError>(format!("I counted to {until}."))
/// });
/// assert_eq!(genkit::generate("3").model(counts.clone()).await?.text(), "I counted to 3.");
/// let error = genkit::generate("three").model(counts).await.unwrap_err();
/// assert_eq!(error.to_string(), "invalid digit found in string");
/// # Ok(())
/// # }
/// ```
///
/// To share state, clone an `Arc` into the future of each call. Nothing is checked before a call
/// unless [`with_info`](FnModel::with_info) sets the capabilities of the model.
pub fn from_fn<F, Fut>(name: impl Into<String>, function: F) -> FnModel
where
    F: Fn(ModelRequest, ChunkSink) -> Fut + Send + Sync + 'static,
    Fut: Future<Output: IntoResult<ModelResponse>> + Send + 'static,
{
    let function = move |request, chunks| -> BoxFuture<'static, Result<ModelResponse>> {
        let answering = function(request, chunks);
        Box::pin(async move { answering.await.into_result() })
    };
    FnModel { name: name.into(), info: ModelInfo::default(), function: Arc::new(function) }
}

impl FnModel {
    /// Sets the model info. By default the capabilities are unknown and nothing is checked before a
    /// call.
    ///
    /// ```
    /// use genkit::model::{self, ModelInfo, Supports};
    /// use genkit::Part;
    ///
    /// # #[tokio::main(flavor = "current_thread")]
    /// # async fn main() {
    /// let info = ModelInfo::default().with_supports(Supports::text_only());
    /// let plain = model::from_fn("plain", |_, _| async { "hi" }).with_info(info);
    /// let run = genkit::generate(Part::image("image/png", [1])).model(plain);
    /// assert!(run.await.unwrap_err().to_string().contains("does not support media"));
    /// # }
    /// ```
    #[must_use]
    pub fn with_info(mut self, info: ModelInfo) -> Self {
        self.info = info;
        self
    }
}

impl Model for FnModel {
    fn name(&self) -> &str {
        &self.name
    }

    fn info(&self) -> ModelInfo {
        self.info.clone()
    }

    fn generate<'a>(
        &'a self,
        request: &'a ModelRequest,
        chunks: &'a ChunkSink,
    ) -> BoxFuture<'a, Result<ModelResponse>> {
        (self.function)(request.clone(), chunks.clone())
    }
}

impl fmt::Debug for FnModel {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_struct("FnModel").field("name", &self.name).finish_non_exhaustive()
    }
}

/// The return value of a closure that produces a `T`: the value, or a `Result` with any error type.
///
/// Text and a [`Message`] are also accepted as a [`ModelResponse`]. The error is any type that
/// converts into `Box<dyn std::error::Error + Send + Sync>`, as for tools: a `String`, an
/// `anyhow::Error`, or a [`genkit::Error`](genkit_core::Error), which determines the
/// [kind](genkit_core::ErrorKind).
#[diagnostic::on_unimplemented(
    message = "this closure cannot return `{Self}`",
    label = "neither `{T}` nor a `Result` of it",
    note = "return `{T}`, or `Result<{T}, E>` where `E` converts into `Box<dyn std::error::Error + Send + Sync>`",
    note = "if the compiler cannot infer the error type, end the closure with `Ok::<_, genkit::Error>(..)`"
)]
pub trait IntoResult<T> {
    /// Converts the return value into a `genkit::Result`.
    ///
    /// # Errors
    /// Returns the error of the closure.
    fn into_result(self) -> Result<T>;
}

impl IntoResult<ToolOutcome> for ToolOutcome {
    fn into_result(self) -> Result<ToolOutcome> {
        Ok(self)
    }
}

impl IntoResult<ToolOutcome> for ToolResponse {
    fn into_result(self) -> Result<ToolOutcome> {
        Ok(ToolOutcome::respond(self))
    }
}

impl IntoResult<GenerateResponse> for GenerateResponse {
    fn into_result(self) -> Result<GenerateResponse> {
        Ok(self)
    }
}

impl<T, V: IntoResult<T>, E: Into<BoxError>> IntoResult<T> for std::result::Result<V, E> {
    fn into_result(self) -> Result<T> {
        self.map_err(Error::from_failure)?.into_result()
    }
}

impl IntoResult<ModelResponse> for ModelResponse {
    fn into_result(self) -> Result<ModelResponse> {
        Ok(self)
    }
}

impl IntoResult<ModelResponse> for Message {
    fn into_result(self) -> Result<ModelResponse> {
        Ok(ModelResponse::new(self))
    }
}

impl IntoResult<ModelResponse> for String {
    fn into_result(self) -> Result<ModelResponse> {
        Ok(ModelResponse::from_text(self))
    }
}

impl IntoResult<ModelResponse> for &str {
    fn into_result(self) -> Result<ModelResponse> {
        Ok(ModelResponse::from_text(self))
    }
}
