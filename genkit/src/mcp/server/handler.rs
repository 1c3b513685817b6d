//! The registry as an MCP server: one method for each thing that a client may ask.

#![allow(
    deprecated,
    reason = "SEP-2577 deprecates logging and subscribe; clients of today have them"
)]

use std::sync::Arc;

use rmcp::model::{
    CacheScope, CallToolRequestParams, CallToolResponse, CompleteRequestParams, CompleteResult,
    CustomRequest, CustomResult, ErrorData, GetPromptRequestParams, GetPromptResponse,
    Implementation, ListPromptsResult, ListResourceTemplatesResult, ListResourcesResult,
    ListToolsResult, PaginatedRequestParams, ReadResourceRequestParams, ReadResourceResponse,
    Reference, ServerCapabilities, ServerConfig, SetLevelRequestMethod, SetLevelRequestParams,
    SubscribeRequestParams, SubscriptionFilter, Tool as McpTool, UnsubscribeRequestParams,
};
use rmcp::service::{NotificationContext, RequestContext, SubscriptionContext};
use rmcp::{RoleServer, ServerHandler};
use serde_json::Value;

use super::run::{Job, Ran};
use super::session::Era;
use super::session::{MAX_SUBSCRIPTIONS, Session};
use super::state::Shared;
use super::{content, lists, malformed, results};
use crate::action::Strictness;
use crate::context::ContextParts;
use crate::suggest;

type Answer<T> = std::result::Result<T, ErrorData>;
type Request = RequestContext<RoleServer>;

/// One connection of a server: everything shared, and what this client chose.
#[derive(Clone)]
pub(crate) struct McpHandler {
    pub(crate) shared: Arc<Shared>,
    pub(crate) session: Arc<Session>,
}

impl McpHandler {
    pub(crate) fn new(shared: Arc<Shared>) -> Self {
        Self { shared, session: Arc::default() }
    }

    fn strictness(&self) -> Strictness {
        if self.shared.settings.strict_args { Strictness::Exact } else { Strictness::Lenient }
    }

    /// How long clients may keep a list: the same for every client, so it may be shared.
    fn cache(&self) -> (Option<u64>, Option<CacheScope>) {
        let ttl = u64::try_from(self.shared.settings.cache_ttl.as_millis()).unwrap_or(u64::MAX);
        (Some(ttl), Some(CacheScope::Public))
    }
}

impl ServerHandler for McpHandler {
    fn get_info(&self) -> ServerConfig {
        let settings = &self.shared.settings;
        let mut capabilities = ServerCapabilities::builder()
            .enable_tools()
            .enable_tool_list_changed()
            .enable_prompts()
            .enable_prompts_list_changed()
            .enable_resources()
            .enable_resources_list_changed()
            .enable_resources_subscribe()
            .enable_completions()
            .enable_logging()
            .build();
        if !settings.extensions.is_empty() {
            let declared = settings.extensions.iter();
            capabilities.extensions = Some(
                declared
                    .map(|(id, value)| (id.clone(), value.as_object().cloned().unwrap_or_default()))
                    .collect(),
            );
        }
        let mut info = ServerConfig::new(capabilities);
        let mut server = Implementation::new(settings.name.clone(), settings.version.clone());
        server.title = settings.title.clone();
        info.server_info = server;
        info.instructions = settings.instructions.clone();
        info.protocol_version = rmcp::model::ProtocolVersion::LATEST_WITH_INITIALIZE;
        info
    }

    fn get_tool(&self, name: &str) -> Option<McpTool> {
        let lists = self.shared.lists();
        let tools = lists.tools(Era::Modern);
        tools.binary_search_by(|tool| tool.name.as_ref().cmp(name)).ok().map(|at| tools[at].clone())
    }

    async fn list_tools(
        &self,
        params: Option<PaginatedRequestParams>,
        request: Request,
    ) -> Answer<ListToolsResult> {
        let lists = self.shared.lists();
        let size = self.shared.settings.page_size;
        let tools = lists.tools(Era::of(&request));
        let (tools, next) = lists::page(tools, |tool| &tool.name, params, size)?;
        let mut result = ListToolsResult::with_all_items(tools);
        result.next_cursor = next;
        (result.ttl_ms, result.cache_scope) = self.cache();
        Ok(result)
    }

    async fn list_prompts(
        &self,
        params: Option<PaginatedRequestParams>,
        _: Request,
    ) -> Answer<ListPromptsResult> {
        let lists = self.shared.lists();
        let size = self.shared.settings.page_size;
        let (prompts, next) = lists::page(&lists.prompts, |prompt| &prompt.name, params, size)?;
        let mut result = ListPromptsResult::with_all_items(prompts);
        result.next_cursor = next;
        (result.ttl_ms, result.cache_scope) = self.cache();
        Ok(result)
    }

    async fn list_resources(
        &self,
        params: Option<PaginatedRequestParams>,
        _: Request,
    ) -> Answer<ListResourcesResult> {
        let lists = self.shared.lists();
        let size = self.shared.settings.page_size;
        let (resources, next) = lists::page(&lists.resources, |r| &r.uri, params, size)?;
        let mut result = ListResourcesResult::with_all_items(resources);
        result.next_cursor = next;
        (result.ttl_ms, result.cache_scope) = self.cache();
        Ok(result)
    }

    async fn list_resource_templates(
        &self,
        params: Option<PaginatedRequestParams>,
        _: Request,
    ) -> Answer<ListResourceTemplatesResult> {
        let lists = self.shared.lists();
        let size = self.shared.settings.page_size;
        let (templates, next) = lists::page(&lists.templates, |t| &t.uri_template, params, size)?;
        let mut result = ListResourceTemplatesResult::with_all_items(templates);
        result.next_cursor = next;
        (result.ttl_ms, result.cache_scope) = self.cache();
        Ok(result)
    }

    async fn call_tool(
        &self,
        params: CallToolRequestParams,
        request: Request,
    ) -> Answer<CallToolResponse> {
        let Some(tool) = self.shared.tool(&params.name) else {
            let lists = self.shared.lists();
            let names = lists.tools(Era::Legacy).iter().map(|tool| tool.name.as_ref());
            let said = suggest::unknown("tool", &params.name, names);
            return Err(ErrorData::invalid_params(said, None));
        };
        let era = Era::of(&request);
        let arguments = Value::Object(params.arguments.unwrap_or_default());
        let job = Job {
            method: "tools/call",
            name: tool.name().to_owned(),
            approval: tool.needs_approval().then(|| tool.approval_message(&arguments)),
            arguments,
            timeout: tool.timeout().unwrap_or(self.shared.settings.timeout),
            state: params.request_state,
            responses: params.input_responses,
        };
        let how = self.strictness();
        let max_output = self.shared.settings.max_output;
        let running = tool.clone();
        let ran = self
            .run(request, job, move |context, arguments| running.invoke(context, arguments, how))
            .await?;
        Ok(match ran {
            Ran::Done(result) => results::tool_result(&tool, result, era, max_output).into(),
            Ran::Asks(asks) => asks.into(),
        })
    }

    async fn get_prompt(
        &self,
        params: GetPromptRequestParams,
        request: Request,
    ) -> Answer<GetPromptResponse> {
        let Some(prompt) = self.shared.prompt(&params.name) else {
            let lists = self.shared.lists();
            let names = lists.prompts.iter().map(|prompt| prompt.name.as_str());
            let said = suggest::unknown("prompt", &params.name, names);
            return Err(ErrorData::invalid_params(said, None));
        };
        let arguments = params.arguments.unwrap_or_default();
        if let Some(said) = results::missing_arguments(&prompt, &arguments) {
            return Err(ErrorData::invalid_params(said, None));
        }
        let job = Job {
            method: "prompts/get",
            name: params.name,
            arguments: Value::Object(arguments),
            timeout: self.shared.settings.timeout,
            approval: None,
            state: params.request_state,
            responses: params.input_responses,
        };
        let running = prompt.clone();
        let ran = self
            .run(request, job, move |context, arguments| {
                running.invoke(context, arguments, Strictness::Text)
            })
            .await?;
        match ran {
            Ran::Done(Ok(reply)) => Ok(content::prompt_result(reply).into()),
            Ran::Done(Err(error)) => {
                Err(content::protocol_error(&results::prompt_error(&prompt, error)))
            }
            Ran::Asks(asks) => Ok(asks.into()),
        }
    }

    async fn read_resource(
        &self,
        params: ReadResourceRequestParams,
        request: Request,
    ) -> Answer<ReadResourceResponse> {
        let uri = params.uri;
        let Some((resource, variables)) = self.shared.resource(&uri) else {
            return Err(content::protocol_error(&crate::action::not_found(&uri)));
        };
        let era = Era::of(&request);
        let job = Job {
            method: "resources/read",
            name: uri.clone(),
            arguments: Value::Object(variables),
            timeout: self.shared.settings.timeout,
            approval: None,
            state: params.request_state,
            responses: params.input_responses,
        };
        let (running, at) = (resource.clone(), uri.clone());
        let ran = self
            .run(request, job, move |context, variables| running.invoke(context, &at, variables))
            .await?;
        match ran {
            Ran::Done(Ok(contents)) => {
                let mut result = content::resource_result(contents, &uri, resource.mime_type());
                if era == Era::Modern {
                    result.ttl_ms = self.cache().0;
                    // What a function reads may differ from client to client: it is theirs alone.
                    result.cache_scope = Some(CacheScope::Private);
                }
                Ok(result.into())
            }
            Ran::Done(Err(error)) => {
                Err(content::protocol_error(&results::resource_error(&uri, error)))
            }
            Ran::Asks(asks) => Ok(asks.into()),
        }
    }

    async fn complete(&self, params: CompleteRequestParams, _: Request) -> Answer<CompleteResult> {
        let context = ContextParts {
            states: self.shared.genkit.states.clone(),
            limit: Some(self.shared.settings.timeout),
            ..ContextParts::default()
        }
        .build();
        let others = params.context.and_then(|context| context.arguments).unwrap_or_default();
        let asked = crate::Completion {
            argument: params.argument.name,
            value: params.argument.value,
            others: others.into_iter().collect(),
            context: context.clone(),
        };
        let argument = asked.argument.clone();
        let (what, suggesting) = match &params.r#ref {
            Reference::Prompt(wanted) => match self.shared.prompt(&wanted.name) {
                Some(prompt) => (format!("prompt `{}`", wanted.name), prompt.complete(asked)),
                None => {
                    let said = format!("Unknown prompt: {}", wanted.name);
                    return Err(ErrorData::invalid_params(said, None));
                }
            },
            Reference::Resource(wanted) => {
                match self.shared.genkit.registry.resource(&wanted.uri) {
                    Some(resource) if self.shared.settings.filter.resource(&resource) => {
                        (format!("resource `{}`", wanted.uri), resource.complete(asked))
                    }
                    _ => {
                        let said = format!("Unknown resource template: {}", wanted.uri);
                        return Err(ErrorData::invalid_params(said, None));
                    }
                }
            }
            other => {
                let said = format!("unknown kind of reference: {}", other.reference_type());
                return Err(ErrorData::invalid_params(said, None));
            }
        };
        let Some(suggesting) = suggesting else {
            let said = format!("the {what} has no argument `{argument}`");
            return Err(ErrorData::invalid_params(said, None));
        };
        let found = crate::context::supervise(&context, &what, suggesting).await;
        let found = found.map_err(|error| content::protocol_error(&error))?;
        Ok(CompleteResult::new(results::completion(found)))
    }

    async fn set_level(&self, params: SetLevelRequestParams, request: Request) -> Answer<()> {
        if Era::of(&request) == Era::Modern {
            return Err(ErrorData::method_not_found::<SetLevelRequestMethod>());
        }
        self.session.set_level(crate::mcp::level::of_mcp(params.level));
        Ok(())
    }

    async fn subscribe(&self, params: SubscribeRequestParams, _: Request) -> Answer<()> {
        if self.session.subscribe(params.uri) {
            return Ok(());
        }
        let said = format!("a client may subscribe to {MAX_SUBSCRIPTIONS} resources at most");
        Err(ErrorData::invalid_request(said, None))
    }

    async fn unsubscribe(&self, params: UnsubscribeRequestParams, _: Request) -> Answer<()> {
        self.session.unsubscribe(&params.uri);
        Ok(())
    }

    fn accepted_subscription_filter(
        &self,
        requested: &SubscriptionFilter,
    ) -> Option<SubscriptionFilter> {
        let mut accepted = requested.clone();
        if let Some(uris) = &mut accepted.resource_subscriptions {
            uris.truncate(MAX_SUBSCRIPTIONS);
        }
        Some(accepted)
    }

    async fn listen(&self, subscription: SubscriptionContext) -> Answer<()> {
        let sink = subscription.sink().clone();
        self.shared.hub.add_stream(sink.clone(), &self.shared.genkit.registry);
        subscription.cancelled().await;
        self.shared.hub.remove_stream(&sink);
        Ok(())
    }

    async fn on_initialized(&self, context: NotificationContext<RoleServer>) {
        self.shared.hub.add_session(context.peer, &self.session, &self.shared.genkit.registry);
    }

    async fn on_custom_request(
        &self,
        asked: CustomRequest,
        request: Request,
    ) -> Answer<CustomResult> {
        Err(malformed::refuse(asked, Era::of(&request)))
    }
}
