//! Request handler: one method for each MCP request that a client may send.

#![allow(
    deprecated,
    reason = "SEP-2577 deprecates logging and subscribe; clients of today have them"
)]

mod completion;
mod info;
mod malformed;

use std::sync::Arc;

use rmcp::model::{
    CacheScope, CallToolRequestParams, CallToolResponse, CompleteRequestParams, CompleteResult,
    CustomRequest, CustomResult, ErrorData, GetPromptRequestParams, GetPromptResponse,
    ListPromptsResult, ListResourceTemplatesResult, ListResourcesResult, ListToolsResult,
    PaginatedRequestParams, ReadResourceRequestParams, ReadResourceResponse,
    ResourceUpdatedNotificationParam, ServerConfig, SetLevelRequestMethod, SetLevelRequestParams,
    SubscribeRequestParams, SubscriptionFilter, Tool as McpTool, UnsubscribeRequestParams,
};
use rmcp::service::{
    NotificationContext, Peer, RequestContext, SubscriptionContext, SubscriptionSink,
};
use rmcp::{RoleServer, ServerHandler};
use serde_json::{Map, Value, json};

use super::error::{Error as E, protocol_error};
use super::quota::ClientKey;
use super::run::{Invocation, RunOutcome, drive_in_span, run};
use super::session::{Era, Interest, ListenFilter, MAX_SUBSCRIPTIONS, Session};
use super::settings::ServerSettings;
use super::state::SharedState;
use super::{lists, results, tool_call};
use crate::action::{Strictness, resource_for_span};
use crate::context::drive;
use crate::registry::RegistryChange;
use crate::suggest;
use crate::trace::{NewSpan, SpanKind};

/// One connection of a server: the shared state, and what this client chose.
#[derive(Clone)]
pub(crate) struct McpHandler {
    shared: Arc<SharedState>,
    session: Arc<Session>,
}

impl McpHandler {
    /// For the one client of a pipe.
    pub(crate) fn new(shared: Arc<SharedState>) -> Self {
        let session = Arc::new(shared.session_of(ClientKey::Local));
        Self { shared, session }
    }

    pub(crate) fn settings(&self) -> &ServerSettings {
        &self.shared.settings
    }

    pub(crate) fn session(&self) -> &Session {
        &self.session
    }

    /// The same server for another connection.
    #[cfg(feature = "mcp-http")]
    pub(crate) fn for_new_session(&self) -> Self {
        let session = Arc::new(self.shared.session_of(ClientKey::Unknown));
        Self { shared: Arc::clone(&self.shared), session }
    }

    fn strictness(&self) -> Strictness {
        if self.shared.settings.strict_args { Strictness::Exact } else { Strictness::Lenient }
    }

    /// How long clients may cache a list: the same for every client, so it may be shared.
    fn cache(&self) -> (Option<u64>, Option<CacheScope>) {
        let ttl = u64::try_from(self.shared.settings.cache_ttl.as_millis()).unwrap_or(u64::MAX);
        (Some(ttl), Some(CacheScope::Public))
    }
}

/// Pagination: one page of a list, with how long it may be cached. The result types of rmcp share
/// no trait.
macro_rules! page {
    ($self:ident, $result:ident, $all:expr, $key:expr, $params:ident) => {{
        let (items, next) = lists::page($all, $key, $params, $self.shared.settings.page_size)?;
        let mut result = $result::with_all_items(items);
        result.next_cursor = next;
        (result.ttl_ms, result.cache_scope) = $self.cache();
        Ok(result)
    }};
}

impl ServerHandler for McpHandler {
    fn get_info(&self) -> ServerConfig {
        info::info(&self.shared.settings)
    }

    fn get_tool(&self, name: &str) -> Option<McpTool> {
        let lists = self.shared.lists();
        let tools = lists.tools(Era::Modern);
        tools.binary_search_by(|tool| tool.name.as_ref().cmp(name)).ok().map(|at| tools[at].clone())
    }

    async fn list_tools(
        &self,
        params: Option<PaginatedRequestParams>,
        request: RequestContext<RoleServer>,
    ) -> Result<ListToolsResult, ErrorData> {
        let lists = self.shared.with_hosts().await.lists();
        let tools = lists.tools(Era::of(&request));
        page!(self, ListToolsResult, tools, |tool| &tool.name, params)
    }

    async fn list_prompts(
        &self,
        params: Option<PaginatedRequestParams>,
        _: RequestContext<RoleServer>,
    ) -> Result<ListPromptsResult, ErrorData> {
        let lists = self.shared.with_hosts().await.lists();
        page!(self, ListPromptsResult, &lists.prompts, |prompt| &prompt.name, params)
    }

    async fn list_resources(
        &self,
        params: Option<PaginatedRequestParams>,
        _: RequestContext<RoleServer>,
    ) -> Result<ListResourcesResult, ErrorData> {
        let lists = self.shared.with_hosts().await.lists();
        page!(self, ListResourcesResult, &lists.resources, |resource| &resource.uri, params)
    }

    async fn list_resource_templates(
        &self,
        params: Option<PaginatedRequestParams>,
        _: RequestContext<RoleServer>,
    ) -> Result<ListResourceTemplatesResult, ErrorData> {
        let lists = self.shared.with_hosts().await.lists();
        page!(self, ListResourceTemplatesResult, &lists.templates, |t| &t.uri_template, params)
    }

    async fn call_tool(
        &self,
        params: CallToolRequestParams,
        request: RequestContext<RoleServer>,
    ) -> Result<CallToolResponse, ErrorData> {
        let tool = self.shared.with_hosts().await.tool(&params.name);
        let Some(tool) = tool else {
            let lists = self.shared.lists();
            let names = lists.tools(Era::Legacy).iter().map(|tool| tool.name.as_ref());
            return Err(E::UnknownName(suggest::unknown("tool", &params.name, names)).into());
        };
        let era = Era::of(&request);
        let invocation = Invocation {
            method: "tools/call",
            name: tool.name().to_owned(),
            arguments: Value::Object(params.arguments.unwrap_or_default()),
            timeout: tool.timeout(),
            upstream: upstream(tool.metadata()),
            state: params.request_state,
            responses: params.input_responses,
        };
        let how = self.strictness();
        let max_output = self.shared.settings.max_output;
        let running = tool.clone();
        let outcome =
            run(&self.shared, &self.session, request, invocation, |admitted, input, recording| {
                tool_call::call(admitted, running, input, how, recording)
            })
            .await?;
        Ok(match outcome {
            RunOutcome::Finished(result) => {
                results::tool_result(&tool, result, era, max_output).into()
            }
            RunOutcome::InputRequired(required) => required.into(),
        })
    }

    async fn get_prompt(
        &self,
        params: GetPromptRequestParams,
        request: RequestContext<RoleServer>,
    ) -> Result<GetPromptResponse, ErrorData> {
        let prompt = self.shared.with_hosts().await.prompt(&params.name);
        let Some(prompt) = prompt else {
            let lists = self.shared.lists();
            let names = lists.prompts.iter().map(|prompt| prompt.name.as_str());
            return Err(E::UnknownName(suggest::unknown("prompt", &params.name, names)).into());
        };
        let arguments = params.arguments.unwrap_or_default();
        results::check_arguments(&prompt, &arguments)?;
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
        let outcome = run(
            &self.shared,
            &self.session,
            request,
            invocation,
            |admitted, arguments, recording| async move {
                let context = admitted.context(recording, None);
                let work = running.invoke(&context, arguments, Strictness::Text);
                drive(&context, &admitted.name, work).await
            },
        )
        .await?;
        match outcome {
            RunOutcome::Finished(Ok(reply)) => Ok(results::prompt_result(reply).into()),
            RunOutcome::Finished(Err(error)) => {
                Err(protocol_error(&results::prompt_error(&prompt, error)))
            }
            RunOutcome::InputRequired(required) => Ok(required.into()),
        }
    }

    async fn read_resource(
        &self,
        params: ReadResourceRequestParams,
        request: RequestContext<RoleServer>,
    ) -> Result<ReadResourceResponse, ErrorData> {
        let uri = params.uri;
        let found = self.shared.with_hosts().await.resource(&uri);
        let Some((resource, variables)) = found else {
            return Err(protocol_error(&crate::action::Error::ResourceNotFound(uri).into()));
        };
        let era = Era::of(&request);
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
        let outcome = run(
            &self.shared,
            &self.session,
            request,
            invocation,
            |admitted, variables, recording| async move {
                let context = admitted.context(recording, None);
                let work = running.invoke(&context, &admitted.name, variables);
                let input = || json!({ "uri": admitted.name });
                let (name, kind) = (running.name(), SpanKind::Action("resource"));
                let span = NewSpan { name, kind, input: &input };
                let output = |read: &Vec<_>| resource_for_span(read);
                drive_in_span(&context, &admitted.name, span, work, output).await
            },
        )
        .await?;
        match outcome {
            RunOutcome::Finished(Ok(contents)) => {
                let mut result = results::resource_result(&resource, &uri, contents);
                if era == Era::Modern {
                    result.ttl_ms = self.cache().0;
                    // What a function reads may differ from client to client: it is theirs alone.
                    result.cache_scope = Some(CacheScope::Private);
                }
                Ok(result.into())
            }
            RunOutcome::Finished(Err(error)) => {
                Err(protocol_error(&results::resource_error(&uri, error)))
            }
            RunOutcome::InputRequired(required) => Ok(required.into()),
        }
    }

    async fn complete(
        &self,
        params: CompleteRequestParams,
        _: RequestContext<RoleServer>,
    ) -> Result<CompleteResult, ErrorData> {
        let found = completion::complete(self.shared.with_hosts().await, params).await?;
        Ok(CompleteResult::new(results::completion(found)))
    }

    async fn set_level(
        &self,
        params: SetLevelRequestParams,
        request: RequestContext<RoleServer>,
    ) -> Result<(), ErrorData> {
        if Era::of(&request) == Era::Modern {
            return Err(ErrorData::method_not_found::<SetLevelRequestMethod>());
        }
        self.session.set_level(crate::mcp::level::of_mcp(params.level));
        Ok(())
    }

    async fn subscribe(
        &self,
        params: SubscribeRequestParams,
        _: RequestContext<RoleServer>,
    ) -> Result<(), ErrorData> {
        Ok(self.session.subscribe(&params.uri)?)
    }

    async fn unsubscribe(
        &self,
        params: UnsubscribeRequestParams,
        _: RequestContext<RoleServer>,
    ) -> Result<(), ErrorData> {
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

    async fn listen(&self, subscription: SubscriptionContext) -> Result<(), ErrorData> {
        let (sink, id) = (subscription.sink().clone(), subscription.request_context().id.clone());
        let filter = ListenFilter::new(sink.accepted(), self.session.quota())?;
        let registry = &self.shared.genkit.registry;
        let mut changes = self.shared.notifier.subscribe(Interest::Listen(filter), registry);
        self.session.streams.established(id.clone());
        let telling = async {
            loop {
                tell_stream(&sink, changes.next().await).await;
            }
        };
        tokio::select! {
            () = subscription.cancelled() => {}
            () = telling => {}
        }
        self.session.streams.ended(&id);
        Ok(())
    }

    async fn on_initialized(&self, context: NotificationContext<RoleServer>) {
        if !self.session.initialized() {
            return;
        }
        let interest = Interest::Session(Arc::downgrade(&self.session));
        let registry = &self.shared.genkit.registry;
        let mut changes = self.shared.notifier.subscribe(interest, registry);
        let session = Arc::downgrade(&self.session);
        tokio::spawn(async move {
            while session.strong_count() > 0 && !context.peer.is_transport_closed() {
                tell_session(&context.peer, changes.next().await).await;
            }
        });
    }

    async fn on_custom_request(
        &self,
        custom: CustomRequest,
        request: RequestContext<RoleServer>,
    ) -> Result<CustomResult, ErrorData> {
        Err(malformed::refuse(custom, Era::of(&request)))
    }
}

/// The server behind this one that has an action.
fn upstream(metadata: &Map<String, Value>) -> Option<String> {
    Some(metadata.get("mcp")?.get("server")?.as_str()?.to_owned())
}

async fn tell_session(peer: &Peer<RoleServer>, change: RegistryChange) {
    // A client that is gone ends its session, not here.
    let _ = match change {
        RegistryChange::Tools => peer.notify_tool_list_changed().await,
        RegistryChange::Prompts => peer.notify_prompt_list_changed().await,
        RegistryChange::Resources => peer.notify_resource_list_changed().await,
        RegistryChange::ResourceUpdated(uri) => {
            peer.notify_resource_updated(ResourceUpdatedNotificationParam::new(&*uri)).await
        }
    };
}

async fn tell_stream(sink: &SubscriptionSink, change: RegistryChange) {
    let _ = match change {
        RegistryChange::Tools => sink.notify_tool_list_changed().await,
        RegistryChange::Prompts => sink.notify_prompt_list_changed().await,
        RegistryChange::Resources => sink.notify_resource_list_changed().await,
        RegistryChange::ResourceUpdated(uri) => sink.notify_resource_updated(&*uri).await,
    };
}
