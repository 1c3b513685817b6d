//! The chain of middleware around a run, a model call, a tool call.

use std::sync::Arc;

use serde_json::Value;

use genkit_core::BoxFuture;
use genkit_core::GenerateResponse;
use genkit_core::Result;
use genkit_core::Tool;
use genkit_core::internal::context::CallerAnswer;
use genkit_core::internal::generate::interrupt::{CALL_KEY, Suspended};
use genkit_core::{ModelRequest, ModelResponse, ToolDefinition};
use genkit_core::{ToolCall, ToolOutcome};
use genkit_model::internal::Models;
use genkit_model::{ChunkSink, Model, ModelInfo};

/// Middleware: code around a run and its parts. The first one that is given is the outermost.
///
/// Each method has a default that only goes on: write the ones that you need. Where a closure is enough,
/// [`on_model`](super::on_model), [`on_tool`](super::on_tool) and [`on_generate`](super::on_generate)
/// make one of it.
///
/// ```
/// use genkit::middleware::{Middleware, NextModel};
/// use genkit::model::{ChunkSink, ModelRequest, ModelResponse};
/// use genkit::testing::ScriptedModel;
/// use genkit::{BoxFuture, Result};
///
/// /// Asks for little text.
/// struct Brief;
///
/// impl Middleware for Brief {
///     fn model<'a>(
///         &'a self,
///         request: &'a ModelRequest,
///         chunks: &'a ChunkSink,
///         next: NextModel,
///     ) -> BoxFuture<'a, Result<ModelResponse>> {
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
    /// Wraps the whole run: `request` is what the first turn asks.
    fn generate(
        &self,
        request: ModelRequest,
        next: NextGenerate,
    ) -> BoxFuture<'_, Result<GenerateResponse>> {
        next.run(request)
    }

    /// Wraps each model call.
    fn model<'a>(
        &'a self,
        request: &'a ModelRequest,
        chunks: &'a ChunkSink,
        next: NextModel,
    ) -> BoxFuture<'a, Result<ModelResponse>> {
        next.run(request, chunks)
    }

    /// Wraps each tool call: of the loop, and of MCP clients where the [`Genkit`](crate::instance::Genkit)
    /// that is served has this middleware.
    ///
    /// Over MCP the input in `call` is what the client sent, an interrupt is a question to the
    /// client's user, and an answer without [`NextTool::run`] is the result that the client gets.
    fn tool(&self, call: ToolCall, next: NextTool) -> BoxFuture<'_, Result<ToolOutcome>> {
        next.run(call)
    }

    /// Tools that every run with this middleware offers. MCP clients see those of the registry alone.
    fn tools(&self) -> Vec<Tool> {
        Vec::new()
    }
}

/// What stands inside of all middleware: the run itself.
pub(crate) trait Innermost: InnermostTool {
    /// Where a middleware finds other models.
    fn models(&self) -> &Models;

    fn run(self: Arc<Self>, request: ModelRequest) -> BoxFuture<'static, Result<GenerateResponse>>;

    fn call_model<'a>(
        &'a self,
        model: &'a dyn Model,
        request: &'a ModelRequest,
        chunks: &'a ChunkSink,
    ) -> BoxFuture<'a, Result<ModelResponse>>;
}

/// What stands inside of all middleware around a tool call: in the loop, and for a client over MCP.
pub trait InnermostTool: Send + Sync {
    /// What stands around it, the outermost first.
    fn middleware(&self) -> &[Arc<dyn Middleware>];

    fn call_tool<'a>(
        &'a self,
        call: ToolCall,
        suspended: Option<&'a Suspended>,
    ) -> BoxFuture<'a, Result<ToolOutcome>>;

    /// The tools of the run; none where there is no run.
    fn tools(&self) -> Vec<ToolDefinition> {
        Vec::new()
    }

    /// Whether the last model call was not offered this tool of the run.
    fn is_withheld(&self, name: &str) -> bool {
        let _ = name;
        false
    }
}

/// A place in the chain: what is inside of all, and which middleware is next.
struct Place<I: ?Sized> {
    innermost: Arc<I>,
    at: usize,
}

impl<I: ?Sized> Clone for Place<I> {
    fn clone(&self) -> Self {
        Self { innermost: Arc::clone(&self.innermost), at: self.at }
    }
}

impl<I: InnermostTool + ?Sized> Place<I> {
    /// The middleware that is next, from where on the chain goes on behind it.
    fn step(&mut self) -> Option<Arc<dyn Middleware>> {
        let next = self.innermost.middleware().get(self.at).cloned()?;
        self.at += 1;
        Some(next)
    }
}

/// Next of a middleware around a run: what comes after it, the run itself at last.
#[derive(Clone)]
pub struct NextGenerate {
    place: Place<dyn Innermost>,
}

impl NextGenerate {
    pub(crate) fn outermost(innermost: Arc<dyn Innermost>) -> Self {
        Self { place: Place { innermost, at: 0 } }
    }

    /// Runs the rest of the chain with `request`. A clone goes on once more.
    pub fn run(mut self, request: ModelRequest) -> BoxFuture<'static, Result<GenerateResponse>> {
        Box::pin(async move {
            match self.place.step() {
                Some(first) => first.generate(request, self).await,
                None => self.place.innermost.run(request).await,
            }
        })
    }
}

/// Next of a middleware around a model call: what comes after it, the model itself at last.
#[derive(Clone)]
pub struct NextModel {
    place: Place<dyn Innermost>,
    model: Arc<dyn Model>,
}

impl NextModel {
    pub(crate) fn outermost(innermost: Arc<dyn Innermost>, model: Arc<dyn Model>) -> Self {
        Self { place: Place { innermost, at: 0 }, model }
    }

    /// Runs the rest of the chain with `request`. A clone goes on once more.
    pub fn run<'a>(
        mut self,
        request: &'a ModelRequest,
        chunks: &'a ChunkSink,
    ) -> BoxFuture<'a, Result<ModelResponse>> {
        Box::pin(async move {
            match self.place.step() {
                Some(first) => first.model(request, chunks, self).await,
                None => self.place.innermost.call_model(&*self.model, request, chunks).await,
            }
        })
    }

    /// Runs the rest of the chain with another model.
    pub fn run_on<'a>(
        self,
        model: Arc<dyn Model>,
        request: &'a ModelRequest,
        chunks: &'a ChunkSink,
    ) -> BoxFuture<'a, Result<ModelResponse>> {
        Self { model, ..self }.run(request, chunks)
    }

    /// Name of the model.
    pub fn model_name(&self) -> &str {
        self.model.name()
    }

    /// Model info: what the model can do.
    pub fn model_info(&self) -> ModelInfo {
        self.model.info()
    }

    /// Counts the tokens of `request`, where the model's provider does:
    /// [`Model::count_tokens`](genkit_model::Model::count_tokens).
    ///
    /// # Errors
    /// As there.
    pub async fn count_tokens(&self, request: &ModelRequest) -> Result<u64> {
        self.model.count_tokens(request).await
    }

    /// Asks another model something of the middleware's own, past all middleware. It counts for the run's usage.
    pub(super) async fn ask(
        &self,
        model: &dyn Model,
        request: &ModelRequest,
    ) -> Result<ModelResponse> {
        self.place.innermost.call_model(model, request, &ChunkSink::none()).await
    }

    /// Where a middleware finds other models.
    pub(super) fn models(&self) -> &Models {
        self.place.innermost.models()
    }
}

/// Next of a middleware around a tool call: what comes after it, the tool itself at last.
#[derive(Clone)]
pub struct NextTool {
    place: Place<dyn InnermostTool>,
    suspended: Option<Arc<Suspended>>,
}

impl NextTool {
    pub fn outermost(innermost: Arc<dyn InnermostTool>, suspended: Option<Arc<Suspended>>) -> Self {
        Self { place: Place { innermost, at: 0 }, suspended }
    }

    /// Runs the rest of the chain with `call`. A clone goes on once more.
    pub fn run(mut self, call: ToolCall) -> BoxFuture<'static, Result<ToolOutcome>> {
        Box::pin(async move {
            match self.place.step() {
                Some(first) => first.tool(call, self).await,
                None => self.place.innermost.call_tool(call, self.suspended.as_deref()).await,
            }
        })
    }

    /// The tools of the run, whatever the model was offered of them.
    pub(super) fn tools(&self) -> Vec<ToolDefinition> {
        self.place.innermost.tools()
    }

    /// Whether the model was not offered this tool of the run.
    pub(super) fn is_withheld(&self, name: &str) -> bool {
        self.place.innermost.is_withheld(name)
    }

    /// Answer to an interrupt of a middleware: what the caller gave when it resumed the call;
    /// `None` before.
    pub fn resumed(&self) -> Option<&Value> {
        match self.suspended.as_ref()?.recording.answers.get(CALL_KEY)? {
            // A client may agree without a word.
            CallerAnswer::Decision(decision) => {
                Some(decision.content.as_ref().unwrap_or(&Value::Null))
            }
            _ => None,
        }
    }
}
