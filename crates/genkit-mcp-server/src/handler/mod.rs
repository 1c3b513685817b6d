//! The methods of the server: one function for each MCP request that runs a function, independent of the transport.

#![allow(
    deprecated,
    reason = "SEP-2577 deprecates logging and subscribe, which current clients still use"
)]

pub(super) mod completion;
pub(super) mod info;
pub(super) mod malformed;
pub(super) mod method_names;
pub(super) mod skills;
pub(super) mod tasks;

use std::future::Future;
use std::sync::Arc;

#[cfg(feature = "durable")]
use futures_util::future::Either;
use futures_util::{FutureExt as _, TryFutureExt as _};
#[cfg(feature = "durable")]
use rmcp::model::CreateTaskResult;
use rmcp::model::{
    CacheScope, CallToolRequestParams, CallToolResult, GetPromptRequestParams, GetPromptResult,
    ReadResourceRequestParams, ReadResourceResult,
};
use serde_json::{Map, Value, json};

use super::caller::Request;
use super::error::{Error as E, protocol_error};
use super::rounds::InputRequired;
use super::run::{Answered, Invocation, RunOutcome, drive_in_span, run};
use super::session::Era;
use super::state::SharedState;
#[cfg(feature = "durable")]
use super::tasks::{self as task, BegunCall};
use super::{results, tool_call};
use genkit_core::Tool;
use genkit_core::internal::action::resource_for_span;
use genkit_core::internal::context::drive;
use genkit_core::internal::suggest;
use genkit_core::internal::trace::{NewSpan, SpanKind};
use genkit_schema::internal::strictness::Strictness;

/// The methods that run a function. Each validates its request immediately, and returns a future that holds only what
/// the function needs.
pub(super) struct Methods<'a> {
    shared: &'a Arc<SharedState>,
}

/// The outcome of a tool call.
pub(super) enum ToolReply {
    /// A result, with the maximum size of its JSON in bytes.
    Complete {
        tool: Tool,
        result: CallToolResult,
        limit: usize,
    },
    InputRequired(InputRequired),
    #[cfg(feature = "durable")]
    Task(CreateTaskResult),
}

/// The outcome of a prompt or resource request.
pub(super) enum MethodReply<T> {
    Complete(T),
    InputRequired(InputRequired),
}

impl<'a> Methods<'a> {
    /// Waits, once, until the items of fronted hosts are registered.
    pub(super) async fn ready(shared: &'a Arc<SharedState>) -> Self {
        shared.with_hosts().await;
        Self { shared }
    }

    /// Returns how long clients can cache lists and contents, in milliseconds.
    pub(super) fn ttl(&self) -> Option<u64> {
        Some(u64::try_from(self.shared.settings.cache_ttl.as_millis()).unwrap_or(u64::MAX))
    }

    pub(super) fn call_tool(
        &self,
        params: CallToolRequestParams,
        request: Request,
    ) -> Answered<impl Future<Output = Answered<ToolReply>> + use<'a>> {
        let caller = self.shared.caller(&request.head);
        let tool = self.shared.tool(&params.name, &caller).map_err(|absent| {
            let lists = self.shared.lists_of(&caller);
            let names = lists.tools(Era::Legacy).iter().map(|tool| tool.name.as_ref());
            let unknown = E::UnknownName(suggest::unknown("tool", &params.name, names));
            request.refused("tools/call", &params.name, absent.error(unknown))
        })?;
        let settings = &self.shared.settings;
        let era = request.era;
        let invocation = Invocation {
            method: "tools/call",
            name: tool.name().to_owned(),
            arguments: Value::Object(params.arguments.unwrap_or_default()),
            timeout: tool.timeout(),
            upstream: upstream(tool.metadata()),
            state: params.request_state,
            responses: params.input_responses,
        };
        let how = if settings.strict_args { Strictness::Exact } else { Strictness::Lenient };
        let running = tool.clone();
        let limit = tool.max_output().unwrap_or(settings.max_output);
        #[cfg(feature = "durable")]
        let task = tasks::task_of(self.shared, &tool, &request)?;
        let reply = move |outcome| match outcome {
            RunOutcome::Finished(result) => {
                let result = results::tool_result(&tool, result, era);
                ToolReply::Complete { tool, result, limit }
            }
            RunOutcome::InputRequired(required) => ToolReply::InputRequired(required),
        };
        #[cfg(feature = "durable")]
        if let Some(task) = task {
            let begun = task::begin(self.shared, request, invocation, running, how, task)?;
            return Ok(Either::Left(begun.map_ok(move |begun| match begun {
                BegunCall::InTime(outcome) => reply(outcome),
                BegunCall::Created(created) => ToolReply::Task(created),
            })));
        }
        let outcome = run(self.shared, request, invocation, move |admitted, input, recording| {
            tool_call::call(admitted, running, input, how, recording)
        })?;
        let outcome = outcome.map_ok(reply);
        #[cfg(feature = "durable")]
        let outcome = Either::Right(outcome);
        Ok(outcome)
    }

    pub(super) fn get_prompt(
        &self,
        params: GetPromptRequestParams,
        request: Request,
    ) -> Answered<impl Future<Output = Answered<MethodReply<GetPromptResult>>> + use<'a>> {
        let caller = self.shared.caller(&request.head);
        let prompt = self.shared.prompt(&params.name, &caller).map_err(|absent| {
            let lists = self.shared.lists_of(&caller);
            let names = lists.prompts.iter().map(|prompt| prompt.name.as_str());
            let unknown = E::UnknownName(suggest::unknown("prompt", &params.name, names));
            request.refused("prompts/get", &params.name, absent.error(unknown))
        })?;
        let era = request.era;
        let arguments = params.arguments.unwrap_or_default();
        if let Err(missing) = results::check_arguments(&prompt, &arguments) {
            return Err(request.refused("prompts/get", &params.name, missing));
        }
        let invocation = Invocation {
            method: "prompts/get",
            name: params.name,
            arguments: Value::Object(arguments),
            timeout: prompt.timeout(),
            upstream: upstream(prompt.metadata()),
            state: params.request_state,
            responses: params.input_responses,
        };
        let running = prompt.clone();
        let outcome =
            run(self.shared, request, invocation, |admitted, arguments, recording| async move {
                let context = admitted.context(recording, None);
                let work = running.invoke(&context, arguments, Strictness::Text);
                drive(&context, &admitted.name, work).await
            })?;
        Ok(outcome.map(move |outcome| match outcome? {
            RunOutcome::Finished(Ok(reply)) => {
                let mut result = results::prompt_result(reply);
                result.result_type = result.result_type.filter(|_| era == Era::Modern);
                Ok(MethodReply::Complete(result))
            }
            RunOutcome::Finished(Err(error)) => {
                Err(protocol_error(&results::prompt_error(&prompt, error)))
            }
            RunOutcome::InputRequired(required) => Ok(MethodReply::InputRequired(required)),
        }))
    }

    pub(super) fn read_resource(
        &self,
        params: ReadResourceRequestParams,
        request: Request,
    ) -> Answered<impl Future<Output = Answered<MethodReply<ReadResourceResult>>> + use<'a>> {
        let uri = params.uri;
        let found = self.shared.resource(&uri, &self.shared.caller(&request.head));
        let (resource, variables) = found.map_err(|absent| {
            let unknown = absent.error(E::UnknownResource(uri.clone()));
            let _ = request.refused("resources/read", &uri, unknown);
            protocol_error(
                &genkit_core::internal::action::Error::ResourceNotFound(uri.clone()).into(),
            )
        })?;
        let era = request.era;
        let invocation = Invocation {
            method: "resources/read",
            name: uri.clone(),
            arguments: Value::Object(variables),
            timeout: resource.timeout(),
            upstream: upstream(resource.metadata()),
            state: params.request_state,
            responses: params.input_responses,
        };
        let running = resource.clone();
        let outcome =
            run(self.shared, request, invocation, |admitted, variables, recording| async move {
                let context = admitted.context(recording, None);
                let work = running.invoke(&context, &admitted.name, variables);
                let input = || json!({ "uri": admitted.name });
                let (name, kind) = (running.name(), SpanKind::Action("resource"));
                let span = NewSpan { name, kind, input: &input };
                let output = |read: &Vec<_>| resource_for_span(read);
                drive_in_span(&context, &admitted.name, span, work, output).await
            })?;
        let ttl = self.ttl();
        Ok(outcome.map(move |outcome| match outcome? {
            RunOutcome::Finished(Ok(contents)) => {
                let mut result = results::resource_result(&resource, &uri, contents);
                if era == Era::Legacy {
                    result.result_type = None;
                } else {
                    result.ttl_ms = ttl;
                    // The contents of a resource can depend on the client, so shared caches must not store them.
                    result.cache_scope = Some(CacheScope::Private);
                }
                Ok(MethodReply::Complete(result))
            }
            RunOutcome::Finished(Err(error)) => {
                Err(protocol_error(&results::resource_error(&uri, error)))
            }
            RunOutcome::InputRequired(required) => Ok(MethodReply::InputRequired(required)),
        }))
    }
}

/// Returns the name of the upstream server that owns an action.
fn upstream(metadata: &Map<String, Value>) -> Option<String> {
    Some(metadata.get("mcp")?.get("server")?.as_str()?.to_owned())
}
