//! The middleware chain around a run, a model call or a tool call.

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

/// Middleware: code around a run, its model calls and its tool calls. The middleware that is added first is the
/// outermost.
///
/// Each method has a default that calls `next`, so implement only the methods that you need. If a closure is enough,
/// use [`on_model`](super::on_model), [`on_tool`](super::on_tool) or [`on_generate`](super::on_generate).
///
/// ```
/// use genkit::middleware::{Middleware, NextModel};
/// use genkit::model::{ChunkSink, ModelRequest, ModelResponse};
/// use genkit::testing::ScriptedModel;
/// use genkit::{BoxFuture, Result};
///
/// /// Limits the length of responses.
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
    /// Wraps the whole run. `request` is the model request of the first turn.
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

    /// Wraps each tool call of a run. Also wraps tool calls of MCP clients, if the `Genkit` that
    /// serves them has this middleware.
    ///
    /// Over MCP, the input in `call` is the client's input, an interrupt becomes a question to the client's user, and
    /// an outcome returned without calling [`NextTool::run`] is the result that the client receives.
    fn tool(&self, call: ToolCall, next: NextTool) -> BoxFuture<'_, Result<ToolOutcome>> {
        next.run(call)
    }

    /// Returns tools that are added to every run with this middleware. They are not served to MCP clients, which
    /// receive only the tools of the registry.
    fn tools(&self) -> Vec<Tool> {
        Vec::new()
    }
}

/// Implements [`Middleware`] for a type that has a method `async fn wrap_model_call`. Other methods of the trait follow
/// in braces.
macro_rules! impl_model_middleware {
    ($middleware:ty $(, { $($methods:item)* })?) => {
        impl $crate::middleware::Middleware for $middleware {
            fn model<'a>(
                &'a self,
                request: &'a genkit_core::ModelRequest,
                chunks: &'a genkit_model::ChunkSink,
                next: $crate::middleware::NextModel,
            ) -> genkit_core::BoxFuture<'a, genkit_core::Result<genkit_core::ModelResponse>> {
                Box::pin(self.wrap_model_call(request, chunks, next))
            }
            $($($methods)*)?
        }
    };
}

pub(super) use impl_model_middleware;

/// The innermost element of the chain: the run itself.
pub(crate) trait Innermost: InnermostTool {
    /// Returns the models that middleware can look up.
    fn models(&self) -> &Models;

    fn run_generate(
        self: Arc<Self>,
        request: ModelRequest,
    ) -> BoxFuture<'static, Result<GenerateResponse>>;

    fn call_model<'a>(
        &'a self,
        model: &'a dyn Model,
        request: &'a ModelRequest,
        chunks: &'a ChunkSink,
    ) -> BoxFuture<'a, Result<ModelResponse>>;
}

/// The innermost element of the chain around a tool call, in a run and over MCP.
pub trait InnermostTool: Send + Sync {
    /// Returns the middleware around the call, the outermost first.
    fn middleware(&self) -> &[Arc<dyn Middleware>];

    fn call_tool<'a>(
        &'a self,
        call: ToolCall,
        suspended: Option<&'a Suspended>,
    ) -> BoxFuture<'a, Result<ToolOutcome>>;

    /// Returns the tools of the run. The list is empty outside a run.
    fn tools(&self) -> Vec<ToolDefinition> {
        Vec::new()
    }

    /// Returns whether the last model call did not offer this tool of the run.
    fn is_withheld(&self, name: &str) -> bool {
        let _ = name;
        false
    }
}

/// A position in the chain: the innermost element, and the index of the next middleware.
struct ChainPosition<I: ?Sized> {
    innermost: Arc<I>,
    at: usize,
}

impl<I: ?Sized> Clone for ChainPosition<I> {
    fn clone(&self) -> Self {
        Self { innermost: Arc::clone(&self.innermost), at: self.at }
    }
}

impl<I: InnermostTool + ?Sized> ChainPosition<I> {
    /// Returns the next middleware, and advances to the position after it.
    fn advance(&mut self) -> Option<Arc<dyn Middleware>> {
        let next = self.innermost.middleware().get(self.at).cloned()?;
        self.at += 1;
        Some(next)
    }
}

/// The remaining middleware of a run, ending with the run itself.
#[derive(Clone)]
pub struct NextGenerate {
    place: ChainPosition<dyn Innermost>,
}

impl NextGenerate {
    pub(crate) fn new(innermost: Arc<dyn Innermost>) -> Self {
        Self { place: ChainPosition { innermost, at: 0 } }
    }

    /// Runs the rest of the chain with `request`. To run it again, clone `self` first.
    pub fn run(mut self, request: ModelRequest) -> BoxFuture<'static, Result<GenerateResponse>> {
        Box::pin(async move {
            match self.place.advance() {
                Some(first) => first.generate(request, self).await,
                None => self.place.innermost.run_generate(request).await,
            }
        })
    }
}

/// The rest of the middleware chain around a model call, which ends with the model itself.
#[derive(Clone)]
pub struct NextModel {
    place: ChainPosition<dyn Innermost>,
    model: Arc<dyn Model>,
}

impl NextModel {
    pub(crate) fn new(innermost: Arc<dyn Innermost>, model: Arc<dyn Model>) -> Self {
        Self { place: ChainPosition { innermost, at: 0 }, model }
    }

    /// Runs the rest of the chain with `request`. To run it again, clone `self` first.
    pub fn run<'a>(
        mut self,
        request: &'a ModelRequest,
        chunks: &'a ChunkSink,
    ) -> BoxFuture<'a, Result<ModelResponse>> {
        Box::pin(async move {
            match self.place.advance() {
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

    /// Returns the name of the model.
    pub fn model_name(&self) -> &str {
        self.model.name()
    }

    /// Returns the capabilities of the model.
    pub fn model_info(&self) -> ModelInfo {
        self.model.info()
    }

    /// Counts the tokens of `request`, if the model's provider supports it.
    ///
    /// # Errors
    /// Returns the errors of [`Model::count_tokens`](genkit_model::Model::count_tokens).
    pub async fn count_tokens(&self, request: &ModelRequest) -> Result<u64> {
        self.model.count_tokens(request).await
    }

    /// Calls another model on behalf of the middleware, bypassing all middleware. The call counts toward the usage of
    /// the run.
    pub(super) async fn call_other_model(
        &self,
        model: &dyn Model,
        request: &ModelRequest,
    ) -> Result<ModelResponse> {
        self.place.innermost.call_model(model, request, &ChunkSink::none()).await
    }

    /// Returns the models that middleware can look up.
    pub(super) fn models(&self) -> &Models {
        self.place.innermost.models()
    }
}

/// The rest of the middleware chain around a tool call, which ends with the tool itself.
#[derive(Clone)]
pub struct NextTool {
    place: ChainPosition<dyn InnermostTool>,
    suspended: Option<Arc<Suspended>>,
}

impl NextTool {
    #[doc(hidden)]
    pub fn outermost(innermost: Arc<dyn InnermostTool>, suspended: Option<Arc<Suspended>>) -> Self {
        Self { place: ChainPosition { innermost, at: 0 }, suspended }
    }

    /// Runs the rest of the chain with `call`. To run it again, clone `self` first.
    pub fn run(mut self, call: ToolCall) -> BoxFuture<'static, Result<ToolOutcome>> {
        Box::pin(async move {
            match self.place.advance() {
                Some(first) => first.tool(call, self).await,
                None => self.place.innermost.call_tool(call, self.suspended.as_deref()).await,
            }
        })
    }

    /// Returns all tools of the run, including those that were not offered to the model.
    pub(super) fn tools(&self) -> Vec<ToolDefinition> {
        self.place.innermost.tools()
    }

    /// Returns whether this tool of the run was not offered to the model.
    pub(super) fn is_withheld(&self, name: &str) -> bool {
        self.place.innermost.is_withheld(name)
    }

    /// Returns the caller's answer to an interrupt of this middleware, or `None` if the call has not been resumed.
    pub fn resumed(&self) -> Option<&Value> {
        match self.suspended.as_ref()?.recording.answers.get(CALL_KEY)? {
            // A client may agree without sending content.
            CallerAnswer::Decision(decision) => {
                Some(decision.content.as_ref().unwrap_or(&Value::Null))
            }
            _ => None,
        }
    }
}
