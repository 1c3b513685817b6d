//! The chain of middleware around a run, a model call, a tool call.

use std::sync::Arc;

use serde_json::Value;

use super::outcome::{ToolCall, ToolOutcome};
use crate::action::Tool;
use crate::context::CallerAnswer;
use crate::error::Result;
use crate::future::BoxFuture;
use crate::generate::data::GenerateResponse;
use crate::generate::interrupt::{CALL_KEY, Suspended};
use crate::model::{ChunkSink, Generating, Model, ModelInfo, ModelRequest, Models};

/// Middleware: code around a run and its parts. The first one that is given is the outermost.
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
    fn generate<'a>(
        &'a self,
        request: ModelRequest,
        next: NextGenerate<'a>,
    ) -> BoxFuture<'a, Result<GenerateResponse>> {
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
    fn tool<'a>(
        &'a self,
        call: ToolCall,
        next: NextTool<'a>,
    ) -> BoxFuture<'a, Result<ToolOutcome>> {
        next.run(call)
    }

    /// Tools that every run with this middleware offers.
    fn tools(&self) -> Vec<Tool> {
        Vec::new()
    }
}

/// What stands inside of all middleware: the run itself.
pub(crate) trait Innermost: Send + Sync {
    fn run(&self, request: ModelRequest) -> BoxFuture<'_, Result<GenerateResponse>>;

    fn call_model<'a>(
        &'a self,
        model: &'a dyn Model,
        request: &'a ModelRequest,
        chunks: &'a ChunkSink,
    ) -> Generating<'a>;

    fn call_tool<'a>(
        &'a self,
        call: ToolCall,
        suspended: Option<&'a Suspended>,
    ) -> BoxFuture<'a, Result<ToolOutcome>>;
}

/// What comes after a middleware around a run.
#[derive(Clone, Copy)]
pub struct NextGenerate<'a> {
    pub(crate) innermost: &'a dyn Innermost,
    pub(crate) rest: &'a [Arc<dyn Middleware>],
}

impl<'a> NextGenerate<'a> {
    /// Goes on with `request`; may be called more than once.
    pub fn run(self, request: ModelRequest) -> BoxFuture<'a, Result<GenerateResponse>> {
        match self.rest.split_first() {
            Some((first, rest)) => first.generate(request, Self { rest, ..self }),
            None => self.innermost.run(request),
        }
    }
}

/// What comes after a middleware around a model call.
#[derive(Clone, Copy)]
pub struct NextModel<'a> {
    pub(crate) innermost: &'a dyn Innermost,
    pub(crate) rest: &'a [Arc<dyn Middleware>],
    pub(crate) model: &'a dyn Model,
    /// Where a middleware finds others.
    pub(crate) models: &'a Models,
}

impl<'a> NextModel<'a> {
    /// Goes on with `request`; may be called more than once.
    pub fn run<'b>(self, request: &'b ModelRequest, chunks: &'b ChunkSink) -> Generating<'b>
    where
        'a: 'b,
    {
        match self.rest.split_first() {
            Some((first, rest)) => first.model(request, chunks, Self { rest, ..self }),
            None => self.innermost.call_model(self.model, request, chunks),
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
        NextModel { model, ..self }.run(request, chunks)
    }

    /// What the model can do.
    pub fn model_info(&self) -> ModelInfo {
        self.model.info()
    }
}

/// What comes after a middleware around a tool call.
#[derive(Clone, Copy)]
pub struct NextTool<'a> {
    pub(crate) innermost: &'a dyn Innermost,
    pub(crate) rest: &'a [Arc<dyn Middleware>],
    pub(crate) suspended: Option<&'a Suspended>,
}

impl<'a> NextTool<'a> {
    /// Goes on with `call`.
    pub fn run(self, call: ToolCall) -> BoxFuture<'a, Result<ToolOutcome>> {
        match self.rest.split_first() {
            Some((first, rest)) => first.tool(call, Self { rest, ..self }),
            None => self.innermost.call_tool(call, self.suspended),
        }
    }

    /// What the caller gave when it resumed a call that a middleware interrupted; `None` before.
    pub fn resumed(&self) -> Option<&'a Value> {
        match self.suspended?.recording.answers.get(CALL_KEY)? {
            CallerAnswer::Decision(decision) => decision.content.as_ref(),
            _ => None,
        }
    }
}
