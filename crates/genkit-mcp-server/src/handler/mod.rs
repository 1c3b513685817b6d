//! The MCP methods that run a function, independent of the transport.

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

use futures_util::future::Either;
use futures_util::{FutureExt as _, TryFutureExt as _};
use rmcp::model::{
    CacheScope, CallToolRequestParams, CallToolResult, CreateTaskResult, GetPromptRequestParams,
    GetPromptResult, ReadResourceRequestParams, ReadResourceResult,
};
use serde_json::{Value, json};

use super::caller::Request;
use super::error::{Error as E, protocol_error};
use super::permission::Item;
use super::results;
use super::rounds::InputRequired;
use super::run::{Answered, Run, RunOutcome, drive_in_span, run_tool};
use super::session::Era;
use super::state::SharedState;
use super::tasks as task;
use genkit_core::Tool;
use genkit_core::internal::action::resource_for_span;
use genkit_core::internal::context::drive_function;
use genkit_core::internal::suggest;
use genkit_core::internal::trace::{NewSpan, SpanKind};
use genkit_schema::internal::strictness::Strictness;

/// The methods that run a function. Each validates its request immediately, and returns a future that contains only
/// the data that the function needs.
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
    Task(CreateTaskResult),
}

/// The outcome of a prompt or resource request.
pub(super) enum MethodReply<T> {
    Complete(T),
    InputRequired(InputRequired),
}

impl<'a> Methods<'a> {
    /// Waits until the items of fronted hosts are registered.
    pub(super) async fn with_hosts(shared: &'a Arc<SharedState>) -> Self {
        shared.wait_for_hosts().await;
        Self { shared }
    }

    /// Returns the time that clients can cache lists and contents, in milliseconds.
    pub(super) fn cache_ms(&self) -> Option<u64> {
        Some(self.shared.settings.pages.cache_ms())
    }

    pub(super) fn call_tool(
        &self,
        params: CallToolRequestParams,
        mut request: Request,
    ) -> Answered<impl Future<Output = Answered<ToolReply>> + use<'a>> {
        let caller = self.shared.caller_for_head(&request.head);
        let search = self.shared.find_search_tool(&params.name, || {
            self.shared.lists_for(&caller).for_client(&request.client)
        });
        let found = search.map_or_else(|| self.shared.find_tool(&params.name, &caller), Ok);
        let tool = found.map_err(|absent| {
            let lists = self.shared.lists_for(&caller);
            let names = lists.tools(Era::Legacy).iter().map(|tool| tool.name.as_ref());
            let unknown = E::UnknownName(suggest::unknown_name("tool", &params.name, names));
            request.record_refusal("tools/call", &params.name, absent.to_error(unknown))
        })?;
        let settings = &self.shared.settings;
        let era = request.era;
        let arguments = Value::Object(params.arguments.unwrap_or_default());
        (request.state, request.responses) = (params.request_state, params.input_responses);
        let running = tool.clone();
        let limit = tool.max_output().unwrap_or(settings.max_output);
        let task = tasks::task_delay(self.shared, &tool, &request)?;
        let reply = move |outcome| match outcome {
            RunOutcome::Finished(result) => {
                let result = results::tool_result(&tool, result, era);
                ToolReply::Complete { tool, result, limit }
            }
            RunOutcome::InputRequired(required) => ToolReply::InputRequired(required),
        };
        if let Some(task) = task {
            let begun = task::start_task(self.shared, request, running, arguments, task)?;
            return Ok(Either::Left(begun.map_ok(move |begun| match begun {
                Either::Left(outcome) => reply(outcome),
                Either::Right(created) => ToolReply::Task(created),
            })));
        }
        let (name, item) = (running.name(), Item::Tool(&running));
        let (run, context) =
            Run::admit_request(self.shared, request, "tools/call", name, &arguments, item)?;
        let trusts_client = run.caller.trusted_to_approve();
        let outcome = run_tool(self.shared, context, trusts_client, running, arguments);
        let outcome = outcome.map(move |outcome| run.into_outcome(outcome).map(reply));
        Ok(Either::Right(outcome))
    }

    pub(super) fn get_prompt(
        &self,
        params: GetPromptRequestParams,
        mut request: Request,
    ) -> Answered<impl Future<Output = Answered<MethodReply<GetPromptResult>>> + use<'a>> {
        let caller = self.shared.caller_for_head(&request.head);
        let prompt = self.shared.find_prompt(&params.name, &caller).map_err(|absent| {
            let lists = self.shared.lists_for(&caller);
            let names = lists.prompts.iter().map(|prompt| prompt.name.as_str());
            let unknown = E::UnknownName(suggest::unknown_name("prompt", &params.name, names));
            request.record_refusal("prompts/get", &params.name, absent.to_error(unknown))
        })?;
        let era = request.era;
        let arguments = params.arguments.unwrap_or_default();
        if let Err(missing) = results::check_arguments(&prompt, &arguments) {
            return Err(request.record_refusal("prompts/get", &params.name, missing));
        }
        let arguments = Value::Object(arguments);
        (request.state, request.responses) = (params.request_state, params.input_responses);
        let (name, item) = (params.name, Item::Prompt(&prompt));
        let (run, context) =
            Run::admit_request(self.shared, request, "prompts/get", &name, &arguments, item)?;
        let running = prompt.clone();
        let outcome = async move {
            let context = context.build();
            let work = running.invoke_prompt(&context, arguments, Strictness::Text);
            drive_function(&context, &name, work).await
        };
        Ok(outcome.map(move |outcome| match run.into_outcome(outcome)? {
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
        mut request: Request,
    ) -> Answered<impl Future<Output = Answered<MethodReply<ReadResourceResult>>> + use<'a>> {
        let uri = params.uri;
        let found = self.shared.find_resource(&uri, &self.shared.caller_for_head(&request.head));
        let (resource, variables) = found.map_err(|absent| {
            let unknown = absent.to_error(E::UnknownResource(uri.clone()));
            let _ = request.record_refusal("resources/read", &uri, unknown);
            protocol_error(
                &genkit_core::internal::action::Error::ResourceNotFound(uri.clone()).into(),
            )
        })?;
        let era = request.era;
        let variables = Value::Object(variables);
        (request.state, request.responses) = (params.request_state, params.input_responses);
        let item = Item::Resource(&resource);
        let (run, context) =
            Run::admit_request(self.shared, request, "resources/read", &uri, &variables, item)?;
        let (running, read) = (resource.clone(), uri.clone());
        let outcome = async move {
            let context = context.build();
            let work = running.invoke_resource(&context, &read, variables);
            let input = || json!({ "uri": read });
            let (name, kind) = (running.name(), SpanKind::Action("resource"));
            let span = NewSpan { name, kind, input: &input };
            let output = |read: &Vec<_>| resource_for_span(read);
            drive_in_span(&context, &read, span, work, output).await
        };
        let ttl = self.cache_ms();
        Ok(outcome.map(move |outcome| match run.into_outcome(outcome)? {
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
