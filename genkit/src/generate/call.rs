//! One tool call: found, allowed, run under its limits, and turned into what the model reads.

use std::sync::Arc;

use serde_json::{Map, Value, json};

use super::caller::LoopCaller;
use super::interrupt::Suspended;
use super::middleware::{ToolCall, ToolOutcome};
use super::run::Env;
use crate::action::{Strictness, Tool, ToolOutput};
use crate::context::{Context, ContextParts, Ended, drive};
use crate::error::{Error, ErrorKind, Result};
use crate::message::{Part, ToolRequest, ToolResponse};

/// What to do when a tool fails.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub enum OnToolError {
    /// The model is told, as `{"error": ".."}`, and can mend its call.
    #[default]
    ReturnToModel,
    /// The run fails; the error owns what was done.
    Abort,
}

/// What the user, or the program in their place, says of a call before it runs.
///
/// ```
/// use genkit::testing::ScriptedModel;
/// use genkit::{Approval, tool, tools};
///
/// /// Pays.
/// #[tool]
/// async fn pay(cents: u64) -> String { format!("paid {cents}") }
///
/// # #[tokio::main(flavor = "current_thread")]
/// # async fn main() -> genkit::Result<()> {
/// genkit::generate("Pay the bill.")
///     .model(ScriptedModel::text("Which one?"))
///     .tools(tools![pay])
///     .approval(|call| match call.request().input["cents"].as_u64() {
///         Some(..1_000) => Approval::Allow,
///         Some(..100_000) => Approval::ask("That is more than 10. Pay?"),
///         _ => Approval::deny("nobody pays that much here"),
///     })
///     .await?;
/// # Ok(())
/// # }
/// ```
#[derive(Clone, Debug, PartialEq, Eq)]
#[non_exhaustive]
pub enum Approval {
    /// It runs, also where the tool says `needs_approval`.
    Allow,
    /// The run is interrupted with this question; `None` asks with the call's own words.
    Ask(Option<String>),
    /// It does not run, and the model is told why.
    Deny(String),
}

impl Approval {
    /// Asks with this text.
    pub fn ask(message: impl Into<String>) -> Self {
        Self::Ask(Some(message.into()))
    }

    /// Does not allow it, for this reason.
    pub fn deny(reason: impl Into<String>) -> Self {
        Self::Deny(reason.into())
    }
}

/// The end of a call before the policy on errors is applied.
pub(super) async fn run(
    env: &Env,
    mut call: ToolCall,
    suspended: Option<&Suspended>,
) -> Result<ToolOutcome> {
    let Some(tool) = call.tool.clone() else {
        let error = Error::not_found(env.tools.unknown(&call.request.name));
        return env.failed(&call, error);
    };
    let approval = match env.approval(&call) {
        Approval::Allow => None,
        Approval::Ask(message) => {
            Some(message.unwrap_or_else(|| tool.approval_message(&call.request.input)))
        }
        Approval::Deny(reason) => {
            let said = format!("this call was not allowed: {reason}");
            return env.failed(&call, Error::new(ErrorKind::PermissionDenied, said));
        }
    };
    let input = call.request.input.take();
    let context = ContextParts {
        caller: Arc::new(LoopCaller {
            model: Arc::clone(&env.model),
            registry: env.registry.clone(),
            sink: env.sink.clone(),
            index: call.index,
            limit: env.limits.model_timeout,
            tool: call.request.name.clone(),
            reference: call.request.r#ref.clone(),
        }),
        states: env.states.clone(),
        values: env.values.clone(),
        cancel: env.cancel.child_token(),
        limit: Some(tool.timeout().unwrap_or(env.limits.tool_timeout)),
        recording: suspended.map(|suspended| suspended.recording.clone()).unwrap_or_default(),
        approval,
        ..ContextParts::default()
    }
    .build();
    // What a policy has judged is what runs: nothing is read in another way after it.
    let how = if env.policy.is_some() { Strictness::Exact } else { env.strictness };
    let work = work(&context, &tool, input, how);
    match drive(&context, tool.name(), work).await {
        Ended::Finished(Ok(output)) => {
            let limit = tool.max_output().unwrap_or(env.limits.max_output);
            let (response, metadata) = answer(&call, output, limit);
            Ok(ToolOutcome::answered(response, metadata))
        }
        Ended::Finished(Err(error)) => env.failed(&call, error),
        Ended::Asked(questions, recording) => {
            Suspended::new(questions, recording).map(ToolOutcome::suspended)
        }
        Ended::Cancelled => {
            Err(Error::new(ErrorKind::Cancelled, format!("`{}` was cancelled", tool.name())))
        }
    }
}

/// A tool that asks for approval itself does so after its arguments were read; for the others it
/// is asked here.
async fn work(context: &Context, tool: &Tool, input: Value, how: Strictness) -> Result<ToolOutput> {
    if !tool.needs_approval() {
        context.approved_to_run().await?;
    }
    tool.invoke(context, input, how).await
}

impl Env {
    fn approval(&self, call: &ToolCall) -> Approval {
        match (&self.policy, &call.tool) {
            (Some(policy), _) => policy(call),
            (None, Some(tool)) if tool.needs_approval() => Approval::Ask(None),
            (None, _) => Approval::Allow,
        }
    }

    /// A failure as the model reads it, or as the end of the run.
    pub(super) fn failed(&self, call: &ToolCall, error: Error) -> Result<ToolOutcome> {
        let name = &call.request.name;
        tracing::info!(tool = name, kind = ?error.kind(), "a tool call failed");
        if self.on_tool_error == OnToolError::Abort || error.is_fatal() {
            let kind = error.kind();
            return Err(Error::new(kind, format!("the tool `{name}` failed")).with_source(error));
        }
        let said = if error.is_unread() {
            let schema = call.tool.as_ref().map(|tool| tool.schemas().portable_input().to_string());
            let schema = schema.filter(|schema| schema.len() <= SHOWN_SCHEMA);
            let expected = schema.map(|s| format!(". The arguments must fit: {s}"));
            format!("{}{}", error.chain(), expected.unwrap_or_default())
        } else {
            error.chain()
        };
        let limit = self.limits.max_output;
        let said = if said.len() > limit { cut(&said, limit) } else { said };
        let response = call.request.respond(json!({ "error": said }));
        Ok(ToolOutcome::answered(response, Map::new()))
    }
}

/// How long a schema may be to stand in an error message, in bytes.
const SHOWN_SCHEMA: usize = 4096;

/// An output as the model reads it, cut where it is too long.
fn answer(call: &ToolCall, output: ToolOutput, limit: usize) -> (ToolResponse, Map<String, Value>) {
    let ToolOutput { value, content, metadata } = output;
    let (value, content) = match value {
        Some(value) => (value, content),
        // Text alone is the result; other content stands beside it.
        None if content.iter().all(|part| part.as_text().is_some()) => {
            let text: String = content.iter().filter_map(Part::as_text).collect();
            (if content.is_empty() { Value::Null } else { text.into() }, Vec::new())
        }
        None => (Value::Null, content),
    };
    let size = crate::size::json_size(&value);
    let value = if size > limit {
        tracing::warn!(tool = call.request.name, size, limit, "an answer was cut for the model");
        let text = match value {
            Value::String(text) => text,
            other => other.to_string(),
        };
        Value::String(cut(&text, limit))
    } else {
        value
    };
    let mut response = call.request.respond(value);
    response.content = content;
    (response, metadata)
}

/// The beginning of a text with a mark that says what is missing.
fn cut(text: &str, limit: usize) -> String {
    let mut end = limit.min(text.len());
    while !text.is_char_boundary(end) {
        end -= 1;
    }
    format!(
        "{}\n[cut: the first {end} of {} bytes are shown; ask for less, for example with a filter \
         or a smaller page]",
        &text[..end],
        text.len()
    )
}

/// The call as middleware and policies see it.
pub(super) fn seen(env: &Env, request: ToolRequest, index: usize) -> ToolCall {
    ToolCall { tool: env.tools.get(&request.name), request, index }
}
