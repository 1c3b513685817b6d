//! Wraps the tool calls of clients in the program's middleware.

use std::sync::{Arc, Mutex};

use futures_util::future::Either;
use serde_json::{Map, Value, json};

use super::tool::start_tool;
use crate::error::Error as E;
use crate::state::SharedState;
pub use genkit_agent::middleware::{CallOutcome, InnermostTool};
use genkit_agent::middleware::{Middleware, NextTool, ToolCall, ToolOutcome};
use genkit_core::internal::action::{ToolOutput, failure_for_model};
use genkit_core::internal::context::{
    CallerAnswer, ContextParts, Outcome, Recording, drive_function, unanswerable_error,
};
use genkit_core::internal::generate::interrupt::{CALL_KEY, Suspended};
use genkit_core::internal::sync::lock;
use genkit_core::{BoxFuture, Error, ErrorKind, Part, Result, Tool, ToolRequest};

/// A tool call, which middleware can run several times.
pub(super) struct MiddlewareRun {
    shared: Arc<SharedState>,
    tool: Tool,
    trusts_client: bool,
    /// The context of each run, without its recording.
    context: ContextParts,
    /// The tool's last result, with the part that middleware receives for it. If no middleware changes the part, the
    /// result is returned without loss.
    returned: Mutex<Option<(Part, Result<ToolOutput>)>>,
}

/// Runs `tool` with `context`, inside the program's middleware. With `trusts_client`, the client is responsible for the
/// user's approval.
pub(crate) fn run_tool(
    shared: &Arc<SharedState>,
    mut context: ContextParts,
    trusts_client: bool,
    tool: Tool,
    input: Value,
) -> impl Future<Output = Outcome<ToolOutput>> + use<> {
    if shared.genkit.middleware.is_empty() {
        return Either::Left(start_tool(&shared.settings, context, trusts_client, tool, input));
    }
    let recording = context.recording.take().unwrap_or_default();
    let (shared, returned) = (Arc::clone(shared), Mutex::default());
    let run = Arc::new(MiddlewareRun { shared, tool, trusts_client, context, returned });
    Either::Right(Box::pin(run.run_middleware(input, recording)))
}

impl MiddlewareRun {
    async fn run_middleware(
        self: Arc<Self>,
        input: Value,
        recording: Recording,
    ) -> Outcome<ToolOutput> {
        // Catch panics of the middleware, and cancel it if the client disconnects.
        let cancel = self.context.cancel.clone();
        let guard = ContextParts { cancel, ..ContextParts::default() }.build();
        let request = ToolRequest::new(self.tool.name(), input);
        let work = self.through_middleware(request, recording);
        match drive_function(&guard, self.tool.name(), work).await {
            Outcome::Finished(Ok(outcome)) => outcome,
            Outcome::Finished(Err(error)) => Outcome::Finished(Err(error)),
            Outcome::Suspended(questions, recording) => Outcome::Suspended(questions, recording),
            Outcome::Cancelled => Outcome::Cancelled,
        }
    }

    /// Runs the call through all middleware, and runs it again after each answer from a client that can be asked
    /// directly.
    async fn through_middleware(
        self: &Arc<Self>,
        request: ToolRequest,
        recording: Recording,
    ) -> Result<Outcome<ToolOutput>> {
        let caller = &self.context.caller;
        let round =
            self.context.rounds.as_ref().filter(|_| recording.answers.contains_key(CALL_KEY));
        if round.is_some_and(|round| !round.claim_answers()) {
            return Ok(Outcome::Cancelled);
        }
        let mut suspended = Suspended::new(Vec::new(), recording);
        loop {
            // A denied call does not run.
            if let Some(CallerAnswer::Decision(decision)) =
                suspended.recording.answers.get(CALL_KEY)
            {
                decision.require_approval()?;
            }
            let earlier = Arc::new(suspended);
            let next = NextTool::outermost(Arc::clone(self) as _, Some(Arc::clone(&earlier)));
            let outcome = next.run(ToolCall::from_tool(self.tool.clone(), request.clone())).await?;
            let mut open = match outcome.0 {
                CallOutcome::Answered(part) => {
                    return Ok(Outcome::Finished(self.result_for_client(*part)));
                }
                CallOutcome::Interrupted(open) => *open,
            };
            open.merge_earlier(&earlier);
            for question in &open.questions {
                if !caller.has_capability(question.kind.capability()) {
                    return Err(unanswerable_error(&question.kind));
                }
                // If the client cannot be asked directly, all open questions are returned to it as a result.
                let Some(answering) = caller.answer_question(question) else {
                    return Ok(Outcome::Suspended(open.questions, open.recording));
                };
                open.recording.answers.insert(question.key.clone(), answering.await?);
            }
            suspended = open;
        }
    }

    /// Converts the response of the outermost middleware to the result for the client.
    fn result_for_client(&self, part: Part) -> Result<ToolOutput> {
        let last = lock(&self.returned).take();
        if let Some((_, returned)) = last.filter(|(shown, _)| *shown == part) {
            return returned;
        }
        let Part::ToolResponse { tool_response: response, metadata, .. } = part else {
            return Ok(ToolOutput::default());
        };
        if let Some(text) = response.error() {
            return Err(Error::new(ErrorKind::Unknown, text));
        }
        let is_content = response.output.is_null() && !response.content.is_empty();
        let value = (!is_content).then_some(response.output);
        if response.content.is_empty() {
            let checked = self.tool.schemas().check_output(value.as_ref());
            let tool = || self.tool.name().to_owned();
            checked.map_err(|why| E::MiddlewareAnswer { tool: tool(), why: why.to_string() })?;
        }
        Ok(ToolOutput { value, content: response.content, metadata, ..ToolOutput::default() })
    }
}

impl InnermostTool for MiddlewareRun {
    fn middleware(&self) -> &[Arc<dyn Middleware>] {
        &self.shared.genkit.middleware
    }

    fn call_tool<'a>(
        &'a self,
        call: ToolCall,
        suspended: Option<&'a Suspended>,
    ) -> BoxFuture<'a, Result<ToolOutcome>> {
        Box::pin(async move {
            let mut request = call.request;
            let input = request.input.take();
            let recording = suspended.map(|earlier| earlier.recording.clone()).unwrap_or_default();
            let context = ContextParts { recording: Some(recording), ..self.context.clone() };
            let (settings, tool) = (&self.shared.settings, self.tool.clone());
            let running = start_tool(settings, context, self.trusts_client, tool, input);
            let returned = match running.await {
                Outcome::Finished(returned) => returned,
                Outcome::Suspended(questions, recording) => {
                    return Ok(ToolOutcome::from_suspended(Suspended::new(questions, recording)));
                }
                Outcome::Cancelled => return Err(E::RequestCancelled.into()),
            };
            // Middleware can forward the error text to the client, so mask it first.
            let returned =
                returned.map_err(|error| self.shared.for_client(error, self.tool.name()));
            let (response, metadata) = match &returned {
                Ok(output) => {
                    let (value, content, metadata) = output.clone().into_answer();
                    let mut response = request.respond(value);
                    response.content = content;
                    (response, metadata)
                }
                Err(error) => {
                    let schema = self.tool.schemas().portable_input();
                    let text = failure_for_model(error, self.tool.name(), Some(schema));
                    (request.respond(json!({ "error": text })), Map::new())
                }
            };
            let mut shown = Part::tool_response(response.clone());
            *shown.metadata_mut() = metadata.clone();
            *lock(&self.returned) = Some((shown, returned));
            Ok(ToolOutcome::from_response(response, metadata))
        })
    }
}
