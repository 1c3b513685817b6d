//! A model that returns scripted responses.

use std::collections::VecDeque;
use std::sync::{Arc, Mutex, MutexGuard};

use crate::{ChunkSink, Model, ModelInfo, Supports, cannot_count_error};
use genkit_core::BoxFuture;
use genkit_core::internal::sync::lock;
use genkit_core::{Error, Result};
use genkit_core::{GenerateChunk, ModelRequest, ModelResponse};
use genkit_core::{Message, ToolRequest};

type CountTokens = dyn Fn(&ModelRequest) -> u64 + Send + Sync;

/// A scripted model for tests, which returns one response of its script per call and records the requests.
///
/// Clones share the script and the requests: pass one clone to the run and inspect the other.
///
/// ```
/// use genkit::model::ModelResponse;
/// use genkit::testing::ScriptedModel;
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
/// let model = ScriptedModel::new([
///     ModelResponse::from_tool_requests([ToolRequest::new("add", json!({"a": 2, "b": 3}))]),
///     ModelResponse::from_text("It is five."),
/// ]);
/// let response = genkit::generate("2 + 3?").model(model.clone()).tools(tools![add]).await?;
/// assert_eq!(response.text(), "It is five.");
/// assert_eq!(model.tool_outputs("add"), [json!(5)]);
/// # Ok(())
/// # }
/// ```
#[derive(Clone)]
pub struct ScriptedModel {
    name: String,
    info: ModelInfo,
    count: Option<Arc<CountTokens>>,
    state: Arc<Mutex<ScriptState>>,
}

struct ScriptState {
    script: VecDeque<Scripted>,
    length: usize,
    requests: Vec<ModelRequest>,
}

/// One scripted outcome of a [`ScriptedModel`]: a response, an error, or chunks followed by a response.
pub struct Scripted {
    chunks: Vec<GenerateChunk>,
    end: ScriptedEnd,
}

enum ScriptedEnd {
    Answer(Box<Result<ModelResponse>>),
    Never,
}

impl Scripted {
    /// Creates a streamed response: first the chunks, then `response`.
    pub fn chunks(
        chunks: impl IntoIterator<Item = GenerateChunk>,
        response: ModelResponse,
    ) -> Self {
        Self { chunks: chunks.into_iter().collect(), ..response.into() }
    }
}

impl From<ModelResponse> for Scripted {
    fn from(response: ModelResponse) -> Self {
        Ok(response).into()
    }
}

impl From<Result<ModelResponse>> for Scripted {
    fn from(answer: Result<ModelResponse>) -> Self {
        Self { chunks: Vec::new(), end: ScriptedEnd::Answer(Box::new(answer)) }
    }
}

impl ScriptedModel {
    /// Creates a model that returns these responses in order. Any call after the last response
    /// returns an error.
    pub fn new<S: Into<Scripted>>(script: impl IntoIterator<Item = S>) -> Self {
        let script: VecDeque<Scripted> = script.into_iter().map(Into::into).collect();
        let state = ScriptState { length: script.len(), script, requests: Vec::new() };
        let supports = Some(Supports::all().with_docs(true));
        let info = ModelInfo { supports, ..ModelInfo::default() };
        Self { name: "scripted".to_owned(), info, count: None, state: Arc::new(Mutex::new(state)) }
    }

    /// Creates a model that returns one text response.
    pub fn text(text: impl Into<String>) -> Self {
        Self::texts([text.into()])
    }

    /// Creates a model that returns several text responses, one per call.
    pub fn texts<T: Into<String>>(texts: impl IntoIterator<Item = T>) -> Self {
        Self::new(texts.into_iter().map(|text| ModelResponse::from_text(text)))
    }

    /// Creates a model that streams one text response in pieces.
    pub fn streaming<T: Into<String>>(pieces: impl IntoIterator<Item = T>) -> Self {
        let pieces: Vec<String> = pieces.into_iter().map(Into::into).collect();
        let whole = ModelResponse::from_text(pieces.concat());
        Self::new([Scripted::chunks(pieces.into_iter().map(GenerateChunk::from_text), whole)])
    }

    /// Creates a model that never responds.
    pub fn pending() -> Self {
        Self::new([Scripted { chunks: Vec::new(), end: ScriptedEnd::Never }])
    }

    /// Sets the name. Default is `scripted`.
    #[must_use]
    pub fn with_name(mut self, name: impl Into<String>) -> Self {
        self.name = name.into();
        self
    }

    /// Sets the model info. By default, the model has all capabilities except tool search.
    #[must_use]
    pub fn with_info(mut self, info: ModelInfo) -> Self {
        self.info = info;
        self
    }

    /// Sets the function that counts the tokens of a request. Default is none: the model then cannot count tokens, like
    /// many providers.
    #[must_use]
    pub fn with_token_counts(
        mut self,
        count: impl Fn(&ModelRequest) -> u64 + Send + Sync + 'static,
    ) -> Self {
        self.count = Some(Arc::new(count));
        self
    }

    /// Returns the requests so far, one per call.
    pub fn requests(&self) -> Vec<ModelRequest> {
        self.lock().requests.clone()
    }

    /// Returns all tool calls in the history of the last request.
    pub fn tool_calls(&self) -> Vec<ToolRequest> {
        let state = self.lock();
        let messages = state.requests.last().map(|request| &request.messages);
        messages.into_iter().flatten().flat_map(Message::tool_requests).cloned().collect()
    }

    /// Returns all outputs of the tool `name` in the history of the last request.
    pub fn tool_outputs(&self, name: &str) -> Vec<serde_json::Value> {
        let state = self.lock();
        let messages = state.requests.last().map(|request| &request.messages);
        let parts = messages.into_iter().flatten().flat_map(|message| &message.content);
        let answers = parts.filter_map(|part| part.as_tool_response());
        answers.filter(|answer| answer.name == name).map(|answer| answer.output.clone()).collect()
    }

    fn lock(&self) -> MutexGuard<'_, ScriptState> {
        lock(&self.state)
    }
}

impl Model for ScriptedModel {
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
        Box::pin(async move {
            let (next, length) = {
                let mut state = self.lock();
                state.requests.push(request.clone());
                (state.script.pop_front(), state.length)
            };
            let Some(Scripted { chunks: pieces, end }) = next else {
                return Err(script_ended(length).with_retryable(false));
            };
            for piece in pieces {
                chunks.send(piece);
                // Lets the reader of the stream receive each piece separately.
                tokio::task::yield_now().await;
            }
            match end {
                ScriptedEnd::Answer(answer) => *answer,
                ScriptedEnd::Never => std::future::pending().await,
            }
        })
    }

    fn count_tokens<'a>(&'a self, request: &'a ModelRequest) -> BoxFuture<'a, Result<u64>> {
        let counted = match &self.count {
            Some(count) => Ok(count(request)),
            None => Err(cannot_count_error(&self.name)),
        };
        Box::pin(std::future::ready(counted))
    }
}

impl std::fmt::Debug for ScriptedModel {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        let state = self.lock();
        f.debug_struct("ScriptedModel")
            .field("requests", &state.requests.len())
            .field("left", &state.script.len())
            .finish_non_exhaustive()
    }
}

/// Returns the error for a script with fewer responses than calls.
fn script_ended(responses: usize) -> Error {
    let text =
        format!("the script has {responses} responses, and another call was made; add a response");
    Error::new(genkit_core::ErrorKind::OutOfRange, text)
}
