//! Code around a run, around each model call and around each tool call.

#[cfg(feature = "http-model")]
mod download_media;
mod fallback;
mod retry;
mod simulate_system_prompt;

use std::future::Future;
use std::pin::Pin;
use std::sync::Arc;

use serde_json::{Map, Value};

use super::call;
use super::interrupt::{CALL_KEY, Suspended};
use super::response::GenerateResponse;
use super::run::Env;
use crate::action::Tool;
use crate::error::Result;
use crate::message::{Part, ToolRequest, ToolResponse};
use crate::model::{ChunkSink, Generating, Model, ModelInfo, ModelRequest, Models};

#[cfg(feature = "http-model")]
pub use download_media::{DownloadMedia, download_media};
pub use fallback::{Fallback, fallback};
pub use retry::{Retry, retry};
pub use simulate_system_prompt::{SimulateSystemPrompt, simulate_system_prompt};

/// A run under way.
pub type Running<'a> = Pin<Box<dyn Future<Output = Result<GenerateResponse>> + Send + 'a>>;

/// A tool call under way.
pub type Calling<'a> = Pin<Box<dyn Future<Output = Result<ToolOutcome>> + Send + 'a>>;

/// Code around a run and its parts. The first one that is given is the outermost.
///
/// Each method has a default that only goes on: write the ones that you need.
///
/// ```
/// use genkit::middleware::{Middleware, NextModel};
/// use genkit::model::{ChunkSink, Generating, ModelRequest};
/// use genkit::testing::ScriptedModel;
///
/// /// Asks for little text.
/// struct Brief;
///
/// impl Middleware for Brief {
///     fn model<'a>(
///         &'a self,
///         request: &'a ModelRequest,
///         chunks: &'a ChunkSink,
///         next: NextModel<'a>,
///     ) -> Generating<'a> {
///         Box::pin(async move {
///             let mut request = request.clone();
///             request.config.insert("maxOutputTokens".into(), 100.into());
///             next.run(&request, chunks).await
///         })
///     }
/// }
///
/// # #[tokio::main(flavor = "current_thread")]
/// # async fn main() -> genkit::Result<()> {
/// let model = ScriptedModel::text("hi");
/// genkit::generate("hello").model(model.clone()).middleware(Brief).await?;
/// assert_eq!(model.requests()[0].config["maxOutputTokens"], 100);
/// # Ok(())
/// # }
/// ```
pub trait Middleware: Send + Sync + 'static {
    /// Around the whole run: `request` is what the first turn asks.
    fn generate<'a>(&'a self, request: ModelRequest, next: NextGenerate<'a>) -> Running<'a> {
        next.run(request)
    }

    /// Around each model call.
    fn model<'a>(
        &'a self,
        request: &'a ModelRequest,
        chunks: &'a ChunkSink,
        next: NextModel<'a>,
    ) -> Generating<'a> {
        next.run(request, chunks)
    }

    /// Around each tool call.
    fn tool<'a>(&'a self, call: ToolCall, next: NextTool<'a>) -> Calling<'a> {
        next.run(call)
    }

    /// Tools that every run with this middleware offers.
    fn tools(&self) -> Vec<Tool> {
        Vec::new()
    }
}

/// A tool call, before it runs.
#[derive(Clone, Debug)]
#[non_exhaustive]
pub struct ToolCall {
    pub(super) tool: Option<Tool>,
    /// What the model asks for. A middleware may change the input.
    pub request: ToolRequest,
    pub(super) index: usize,
}

impl ToolCall {
    /// The tool; `None` if the model asks for one that there is not.
    pub fn tool(&self) -> Option<&Tool> {
        self.tool.as_ref()
    }

    /// What the model asks for.
    pub fn request(&self) -> &ToolRequest {
        &self.request
    }
}

/// What became of a tool call.
#[derive(Clone, Debug)]
pub struct ToolOutcome(pub(super) Outcome);

#[derive(Clone, Debug)]
pub(super) enum Outcome {
    Answered(Box<Part>),
    Asked(Box<Suspended>),
}

impl ToolOutcome {
    /// The tool's answer.
    pub fn respond(response: ToolResponse) -> Self {
        Self::answered(response, Map::new())
    }

    /// The run is interrupted, with this as what is asked.
    pub fn interrupt(metadata: impl Into<Value>) -> Self {
        Self::suspended(Suspended::plain(metadata.into()))
    }

    /// The answer; `None` if the call asks.
    pub fn response(&self) -> Option<&ToolResponse> {
        match &self.0 {
            Outcome::Answered(part) => part.as_tool_response(),
            Outcome::Asked(_) => None,
        }
    }

    /// Whether the call asks.
    pub fn is_interrupted(&self) -> bool {
        matches!(self.0, Outcome::Asked(_))
    }

    pub(super) fn answered(response: ToolResponse, metadata: Map<String, Value>) -> Self {
        let part = Part::ToolResponse { tool_response: response, metadata };
        Self(Outcome::Answered(Box::new(part)))
    }

    pub(super) fn suspended(suspended: Suspended) -> Self {
        Self(Outcome::Asked(Box::new(suspended)))
    }
}

/// What comes after a middleware around a run.
#[derive(Clone, Copy)]
pub struct NextGenerate<'a> {
    env: &'a Env,
    rest: &'a [Arc<dyn Middleware>],
}

impl<'a> NextGenerate<'a> {
    pub(super) fn new(env: &'a Env) -> Self {
        Self { env, rest: &env.middleware }
    }

    /// Goes on with `request`; may be called more than once.
    pub fn run(self, request: ModelRequest) -> Running<'a> {
        match self.rest.split_first() {
            Some((first, rest)) => first.generate(request, Self { rest, ..self }),
            None => Box::pin(super::run::turns(self.env, request)),
        }
    }
}

/// What comes after a middleware around a model call.
#[derive(Clone, Copy)]
pub struct NextModel<'a> {
    env: &'a Env,
    rest: &'a [Arc<dyn Middleware>],
    model: &'a dyn Model,
}

impl<'a> NextModel<'a> {
    pub(super) fn new(env: &'a Env) -> Self {
        Self { env, rest: &env.middleware, model: &*env.model }
    }

    /// Goes on with `request`; may be called more than once.
    pub fn run<'b>(self, request: &'b ModelRequest, chunks: &'b ChunkSink) -> Generating<'b>
    where
        'a: 'b,
    {
        match self.rest.split_first() {
            Some((first, rest)) => first.model(request, chunks, Self { rest, ..self }),
            None => self.env.call_model(self.model, request, chunks),
        }
    }

    /// Goes on with another model, through the middleware that comes after this one.
    pub fn run_on<'b>(
        self,
        model: &'b dyn Model,
        request: &'b ModelRequest,
        chunks: &'b ChunkSink,
    ) -> Generating<'b>
    where
        'a: 'b,
    {
        NextModel { env: self.env, rest: self.rest, model }.run(request, chunks)
    }

    /// What the model can do.
    pub fn model_info(&self) -> ModelInfo {
        self.model.info()
    }

    pub(super) fn models(&self) -> &'a Models {
        &self.env.models
    }
}

/// What comes after a middleware around a tool call.
#[derive(Clone, Copy)]
pub struct NextTool<'a> {
    env: &'a Env,
    rest: &'a [Arc<dyn Middleware>],
    suspended: Option<&'a Suspended>,
}

impl<'a> NextTool<'a> {
    pub(super) fn new(env: &'a Env, suspended: Option<&'a Suspended>) -> Self {
        Self { env, rest: &env.middleware, suspended }
    }

    /// Goes on with `call`.
    pub fn run(self, call: ToolCall) -> Calling<'a> {
        match self.rest.split_first() {
            Some((first, rest)) => first.tool(call, Self { rest, ..self }),
            None => Box::pin(async move { call::run(self.env, call, self.suspended).await }),
        }
    }

    /// What the caller gave when it resumed a call that a middleware interrupted; `None` before.
    pub fn resumed(&self) -> Option<&'a Value> {
        self.suspended?.recording.answers.get(CALL_KEY)?.get("content")
    }
}
