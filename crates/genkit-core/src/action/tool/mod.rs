//! Tools: functions that a model can call.

mod approval;
mod builder;
mod declared;
mod function;
mod output;
mod returned;
mod settings;
mod transform;

use std::collections::HashMap;
use std::sync::{Arc, LazyLock, RwLock};
use std::time::Duration;

use serde_json::Value;

use super::call::ActionHandler;
use super::definition::{Definition, defined};
use crate::blocking::{is_large, run_blocking};
use crate::context::Context;
use crate::error::Result;
use crate::future::BoxFuture;
use crate::sync::{read, write};
use genkit_schema::internal::strictness::Strictness;

pub use approval::approval_text;
pub use builder::{ToolBuilder, wait_for_response};
pub use declared::{Describable, Described, SchemaType, SchemaValue};
pub use function::{DeclaredFn, StaticTool, ToolFn};
pub use output::{IntoOutput, ToolOutput, ToolReply};
pub use returned::{
    IntoError, Returned, ReturnedValue, Returns, ReturnsNothing, ReturnsSchema, ReturnsValue,
};
pub use settings::{ToolAnnotations, ToolRetry, ToolTask};

use self::settings::ToolSettings;

/// A tool: a name, a description, schemas and a function.
///
/// Created by `#[tool]`, or at run time by [`Tool::builder`]. Cheap to clone.
///
/// ```
/// use genkit::{Tool, tool};
///
/// /// Adds two numbers.
/// #[tool]
/// async fn add(a: i64, b: i64) -> i64 {
///     a + b
/// }
///
/// let tool = Tool::of::<add>();
/// assert_eq!(tool.name(), "add");
/// assert_eq!(tool.description(), "Adds two numbers.");
/// ```
#[derive(Clone)]
pub struct Tool(Arc<ToolData>);

struct ToolData {
    definition: Definition<ToolOutput>,
    settings: ToolSettings,
}

impl Tool {
    /// Returns the tool of an annotated function. Every call returns the same tool.
    pub fn of<F: ToolFn>() -> Self {
        Self::from_cache(F::DEFINITION)
    }

    /// Returns the tool with its schemas and portable schemas. The tool is cached, because programs call `tools![..]`
    /// for each request.
    fn from_cache(definition: &'static StaticTool) -> Self {
        static TOOLS: LazyLock<RwLock<HashMap<usize, Tool>>> = LazyLock::new(RwLock::default);
        let address = std::ptr::from_ref(definition).addr();
        let cached = read(&TOOLS).get(&address).cloned();
        cached.unwrap_or_else(|| {
            let mut tools = write(&TOOLS);
            tools.entry(address).or_insert_with(|| Self::from_static(definition)).clone()
        })
    }

    pub(crate) fn from_static(tool: &'static StaticTool) -> Self {
        let needs_approval = tool.settings.needs_approval;
        let mut definition = Definition::from_annotation(&tool.definition, needs_approval);
        if let Some(schema) = tool.output_schema {
            definition.schemas = definition.schemas.with_output(schema);
        }
        Self::new(definition, tool.settings)
    }

    fn new(definition: Definition<ToolOutput>, settings: ToolSettings) -> Self {
        Self(Arc::new(ToolData { definition, settings }))
    }

    /// Returns whether only the pages of MCP Apps can use the tool, and models cannot.
    #[doc(hidden)]
    pub fn is_for_apps_only(&self) -> bool {
        let metadata = self.metadata();
        let origin = metadata.get("mcp").and_then(|origin| origin.get("_meta")?.get("ui"));
        let Some(visibility) = origin.or_else(|| metadata.get("ui")) else { return false };
        match visibility.get("visibility") {
            None | Some(Value::Null) => false,
            Some(Value::Array(to)) => !to.iter().any(|who| who == "model"),
            Some(_) => true,
        }
    }

    fn definition(&self) -> &Definition<ToolOutput> {
        &self.0.definition
    }

    /// Returns the annotations: hints about the effects of the tool.
    pub fn annotations(&self) -> ToolAnnotations {
        self.0.settings.hints
    }

    /// Returns whether the tool is at-most-once: a durable run never repeats a call that may already have happened.
    pub fn is_at_most_once(&self) -> bool {
        self.0.settings.at_most_once
    }

    /// Returns whether the tool is lazy. A model receives the definition of a lazy tool only after it has found the
    /// tool with a search: either the provider's own search, or the tool `search_tools`, which is added to the run.
    pub fn is_lazy(&self) -> bool {
        self.0.settings.lazy
    }

    /// Returns the task setting: when a call becomes a task, for MCP clients that support tasks. `None` means never.
    pub fn task(&self) -> Option<ToolTask> {
        self.0.settings.task
    }

    /// Returns the retry settings for calls in durable runs. `None` means that a failed call is not retried, and the
    /// model receives its error.
    pub fn retry_settings(&self) -> Option<ToolRetry> {
        self.0.settings.retry
    }

    /// Returns whether each call needs the user's approval.
    pub fn needs_approval(&self) -> bool {
        self.0.settings.needs_approval
    }

    /// Returns whether the tool is declared without a body: each call interrupts the run, and the response to the
    /// interrupt is the result. Declared tools are not offered to MCP clients.
    pub fn is_declared(&self) -> bool {
        self.0.settings.is_declared
    }

    /// Returns whether the tool is an agent: each call is a run with its own model and tools.
    #[doc(hidden)]
    pub fn is_agent(&self) -> bool {
        self.0.settings.is_agent
    }

    /// Returns the timeout of the tool. `None` means that the caller's default applies.
    pub fn timeout(&self) -> Option<Duration> {
        self.0.settings.timeout
    }

    /// Returns the output limit of the tool, in bytes. `None` means that the caller's default applies.
    pub fn max_output(&self) -> Option<usize> {
        self.0.settings.max_output
    }

    /// Returns the exact input schema of the arguments: the schema that was set, or otherwise derived from the types.
    pub fn input_schema(&self) -> &Value {
        self.schemas().input()
    }

    /// Returns the exact output schema of the result, if the tool returns a value: the schema that was set, or
    /// otherwise derived from the type.
    pub fn output_schema(&self) -> Option<&Value> {
        self.schemas().output()
    }

    /// Returns whether both are the same tool, not only tools with the same name.
    #[doc(hidden)]
    pub fn is(&self, other: &Self) -> bool {
        let annotated = |tool: &Self| matches!(tool.definition().handler, ActionHandler::Static(_));
        Arc::ptr_eq(&self.0, &other.0)
            || (annotated(self) && annotated(other) && self.location() == other.location())
    }

    /// Validates and decodes the arguments and calls the function, without limits. The arguments of a tool that needs
    /// approval are read exactly, so that the function receives the arguments that the user approved.
    #[doc(hidden)]
    pub fn invoke_tool<'a>(
        &self,
        context: &'a Context,
        arguments: Value,
        how: Strictness,
    ) -> BoxFuture<'a, Result<ToolOutput>> {
        let how = if self.needs_approval() { Strictness::Exact } else { how };
        if !self.schemas().are_written() {
            return self.definition().call(context, arguments, how);
        }
        let tool = self.clone();
        Box::pin(async move {
            let arguments = if is_large(&arguments) {
                let tool = tool.clone();
                run_blocking(context, move || tool.schemas().check_input(arguments, how)).await?
            } else {
                tool.schemas().check_input(arguments, how)?
            };
            let output = tool.definition().call(context, arguments, how).await?;
            if !output.value.as_ref().is_some_and(is_large) {
                tool.schemas().check_output(output.value.as_ref())?;
                return Ok(output);
            }
            run_blocking(context, move || {
                tool.schemas().check_output(output.value.as_ref())?;
                Ok(output)
            })
            .await
        })
    }
}

defined!(Tool, name);
