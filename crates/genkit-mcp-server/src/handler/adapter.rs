//! An rmcp `ServerHandler` for the server, for custom transports. It handles the same methods behind rmcp's service
//! loop.

use std::sync::Arc;

use rmcp::model::{
    CallToolRequestParams, CallToolResponse, CompleteRequestParams, CompleteResult, CustomRequest,
    CustomResult, ErrorData, GetPromptRequestParams, GetPromptResponse, GetSkillRequestParams,
    GetSkillResult, ListPromptsResult, ListResourceTemplatesResult, ListResourcesResult,
    ListSkillsResult, ListToolsResult, PaginatedRequestParams, ReadResourceDirectoryRequestParams,
    ReadResourceDirectoryResult, ReadResourceRequestParams, ReadResourceResponse,
    ResourceUpdatedNotificationParam, ServerConfig, SetLevelRequestParams, SubscribeRequestParams,
    SubscriptionFilter, Tool as McpTool, UnsubscribeRequestParams,
};
#[cfg(feature = "durable")]
use rmcp::model::{CancelTaskParams, GetTaskParams, GetTaskResult, UpdateTaskParams};
use rmcp::service::{
    NotificationContext, Peer, RequestContext, SubscriptionContext, SubscriptionSink,
};
use rmcp::{RoleServer, ServerHandler};
use serde::Serialize;

use super::{MethodReply, Methods, ToolReply, completion, info, malformed, method_names, tasks};
use crate::caller::{Channel, Request};
use crate::lists::{Lists, page};
use crate::principal::HttpHead;
use crate::quota::ClientKey;
use crate::results;
use crate::session::{ClientDescription, Era, Interest, ListenFilter, MAX_SUBSCRIPTIONS, Session};
use crate::settings::ServerSettings;
use crate::state::SharedState;
#[cfg(feature = "durable")]
use crate::tasks as task;
#[cfg(feature = "durable")]
use crate::tasks::{TaskAnswer, TaskCall};
use genkit_core::internal::registry::RegistryChange;
use genkit_schema::internal::size::json_size;

/// A connection of a server: the shared state and this client's session.
#[derive(Clone)]
pub(crate) struct McpHandler {
    shared: Arc<SharedState>,
    session: Arc<Session>,
}

impl McpHandler {
    /// Creates the handler for the only client of a pipe.
    pub(crate) fn new(shared: Arc<SharedState>) -> Self {
        let session = Arc::new(shared.session_of(ClientKey::Local));
        Self { shared, session }
    }

    fn settings(&self) -> &ServerSettings {
        &self.shared.settings
    }

    async fn methods(&self) -> Methods<'_> {
        Methods::ready(&self.shared).await
    }

    /// Checks that a result for `name` is within the size limit.
    fn check_size(&self, result: &impl Serialize, name: &str) -> Result<(), ErrorData> {
        let (size, limit) = (json_size(result), self.settings().max_output);
        if size <= limit { Ok(()) } else { Err(results::no_room(name, size, limit)) }
    }

    /// Returns the lists available to the caller of a request.
    async fn lists_of(&self, request: &mut RequestContext<RoleServer>) -> Arc<Lists> {
        self.shared.with_hosts().await;
        let head = HttpHead::take(request);
        self.shared.lists_of(&self.shared.caller(&head))
    }

    fn request(&self, mut context: RequestContext<RoleServer>) -> Request {
        let era = Era::of(&context);
        // Without a session only the request identifies the client; rmcp would fill in its own name.
        let info = match era {
            Era::Legacy => context.client_info(),
            Era::Modern => context.meta.client_info(),
        };
        let capabilities = context.client_capabilities().unwrap_or_default();
        let head = HttpHead::take(&mut context);
        let quota = self.shared.quotas.client(self.shared.client_key(&head));
        Request {
            era,
            client: Arc::new(ClientDescription::new(info.as_ref(), &capabilities)),
            session: Arc::clone(&self.session),
            channel: Channel::Rmcp(context.peer),
            cancel: context.ct,
            meta: context.meta,
            head,
            quota,
        }
    }
}

#[cfg(feature = "durable")]
impl McpHandler {
    async fn task(
        &self,
        call: TaskCall,
        request: RequestContext<RoleServer>,
    ) -> Result<TaskAnswer, ErrorData> {
        let request = self.request(request);
        tasks::check(&self.shared, call.method(), request.era, &request.client)?;
        task::answer(&self.shared, call, &request).await
    }
}

/// Builds one page of a list, with its cache lifetime. A macro, because rmcp's result types share no trait.
macro_rules! page {
    ($self:ident, $lists:ident, $result:ident, $all:expr, $key:expr, $params:ident) => {{
        let cursor = $params.and_then(|params| params.cursor);
        let (items, next) = page($all, $key, cursor.as_deref(), $self.settings().page_size)?;
        let mut result = $result::with_all_items(items.to_vec());
        result.next_cursor = next;
        result.ttl_ms = $self.methods().await.ttl();
        result.cache_scope = Some($lists.cache_scope());
        Ok(result)
    }};
}

impl ServerHandler for McpHandler {
    fn get_info(&self) -> ServerConfig {
        info::described(&self.shared)
    }

    fn get_tool(&self, name: &str) -> Option<McpTool> {
        let lists = self.shared.lists();
        let tools = lists.tools(Era::Modern);
        tools.binary_search_by(|tool| tool.name.as_ref().cmp(name)).ok().map(|at| tools[at].clone())
    }

    async fn list_tools(
        &self,
        params: Option<PaginatedRequestParams>,
        mut request: RequestContext<RoleServer>,
    ) -> Result<ListToolsResult, ErrorData> {
        let lists = self.lists_of(&mut request).await;
        let tools = lists.tools(Era::of(&request));
        page!(self, lists, ListToolsResult, tools, |tool| &tool.name, params)
    }

    async fn list_prompts(
        &self,
        params: Option<PaginatedRequestParams>,
        mut request: RequestContext<RoleServer>,
    ) -> Result<ListPromptsResult, ErrorData> {
        let lists = self.lists_of(&mut request).await;
        page!(self, lists, ListPromptsResult, &lists.prompts, |prompt| &prompt.name, params)
    }

    async fn list_resources(
        &self,
        params: Option<PaginatedRequestParams>,
        mut request: RequestContext<RoleServer>,
    ) -> Result<ListResourcesResult, ErrorData> {
        let lists = self.lists_of(&mut request).await;
        page!(self, lists, ListResourcesResult, &lists.resources, |resource| &resource.uri, params)
    }

    async fn list_resource_templates(
        &self,
        params: Option<PaginatedRequestParams>,
        mut request: RequestContext<RoleServer>,
    ) -> Result<ListResourceTemplatesResult, ErrorData> {
        let lists = self.lists_of(&mut request).await;
        page!(
            self,
            lists,
            ListResourceTemplatesResult,
            &lists.templates,
            |t| &t.uri_template,
            params
        )
    }

    async fn call_tool(
        &self,
        params: CallToolRequestParams,
        request: RequestContext<RoleServer>,
    ) -> Result<CallToolResponse, ErrorData> {
        Ok(match self.methods().await.call_tool(params, self.request(request))?.await? {
            ToolReply::InputRequired(required) => {
                CallToolResponse::InputRequired(required.try_into()?)
            }
            #[cfg(feature = "durable")]
            ToolReply::Task(created) => created.into(),
            ToolReply::Complete { tool, result, limit } => {
                // The result is serialized an extra time to measure it: rmcp does not accept pre-serialized JSON, and
                // the size of a string is known only after it is escaped.
                let size = json_size(&result);
                let fits = size <= limit;
                (if fits { result } else { results::too_large(&tool, size, limit) }).into()
            }
        })
    }

    async fn get_prompt(
        &self,
        params: GetPromptRequestParams,
        request: RequestContext<RoleServer>,
    ) -> Result<GetPromptResponse, ErrorData> {
        let name = params.name.clone();
        let got = self.methods().await.get_prompt(params, self.request(request))?.await?;
        Ok(match got {
            MethodReply::Complete(result) => {
                self.check_size(&result, &name)?;
                result.into()
            }
            MethodReply::InputRequired(required) => {
                GetPromptResponse::InputRequired(required.try_into()?)
            }
        })
    }

    async fn read_resource(
        &self,
        params: ReadResourceRequestParams,
        request: RequestContext<RoleServer>,
    ) -> Result<ReadResourceResponse, ErrorData> {
        let uri = params.uri.clone();
        let read = self.methods().await.read_resource(params, self.request(request))?.await?;
        Ok(match read {
            MethodReply::Complete(result) => {
                self.check_size(&result, &uri)?;
                result.into()
            }
            MethodReply::InputRequired(required) => {
                ReadResourceResponse::InputRequired(required.try_into()?)
            }
        })
    }

    async fn list_skills(
        &self,
        params: Option<PaginatedRequestParams>,
        mut request: RequestContext<RoleServer>,
    ) -> Result<ListSkillsResult, ErrorData> {
        let lists = self.lists_of(&mut request).await;
        page!(self, lists, ListSkillsResult, &lists.skills, |skill| &skill.uri, params)
    }

    async fn get_skill(
        &self,
        params: GetSkillRequestParams,
        mut request: RequestContext<RoleServer>,
    ) -> Result<GetSkillResult, ErrorData> {
        let lists = self.lists_of(&mut request).await;
        Ok(self.methods().await.get_skill(&lists, &params.uri)?)
    }

    async fn read_resource_directory(
        &self,
        params: ReadResourceDirectoryRequestParams,
        mut request: RequestContext<RoleServer>,
    ) -> Result<ReadResourceDirectoryResult, ErrorData> {
        let lists = self.lists_of(&mut request).await;
        Ok(self.methods().await.read_directory(&lists, &params.uri, params.cursor.as_deref())?)
    }

    async fn complete(
        &self,
        params: CompleteRequestParams,
        request: RequestContext<RoleServer>,
    ) -> Result<CompleteResult, ErrorData> {
        completion::complete(&self.shared, params, self.request(request)).await
    }

    async fn set_level(
        &self,
        params: SetLevelRequestParams,
        request: RequestContext<RoleServer>,
    ) -> Result<(), ErrorData> {
        if Era::of(&request) == Era::Modern {
            return Err(method_names::unknown("logging/setLevel", Era::Modern));
        }
        self.session.set_level(genkit_mcp::internal::level::of_mcp(params.level));
        Ok(())
    }

    async fn subscribe(
        &self,
        params: SubscribeRequestParams,
        mut request: RequestContext<RoleServer>,
    ) -> Result<(), ErrorData> {
        self.session.set_sees(self.shared.sees(HttpHead::take(&mut request).identity()));
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
        let sink = subscription.sink().clone();
        let head = HttpHead::of(subscription.request_context());
        let sees = self.shared.sees(head.identity());
        let filter = ListenFilter::new(sink.accepted(), self.session.quota())?.seeing(sees);
        let registry = &self.shared.genkit.registry;
        let mut changes = self.shared.notifier.subscribe(Interest::Listen(filter), registry);
        let telling = async {
            loop {
                tell_stream(&sink, changes.next().await).await;
            }
        };
        tokio::select! {
            () = subscription.cancelled() => {}
            () = telling => {}
        }
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

    #[cfg(feature = "durable")]
    async fn get_task(
        &self,
        params: GetTaskParams,
        request: RequestContext<RoleServer>,
    ) -> Result<GetTaskResult, ErrorData> {
        tasks::got(self.task(TaskCall::Get(params.task_id), request).await?)
    }

    #[cfg(feature = "durable")]
    async fn update_task(
        &self,
        params: UpdateTaskParams,
        request: RequestContext<RoleServer>,
    ) -> Result<(), ErrorData> {
        let UpdateTaskParams { task_id, input_responses, .. } = params;
        self.task(TaskCall::Update(task_id, input_responses), request).await.map(drop)
    }

    #[cfg(feature = "durable")]
    async fn cancel_task(
        &self,
        params: CancelTaskParams,
        request: RequestContext<RoleServer>,
    ) -> Result<(), ErrorData> {
        self.task(TaskCall::Cancel(params.task_id), request).await.map(drop)
    }

    async fn on_custom_request(
        &self,
        custom: CustomRequest,
        request: RequestContext<RoleServer>,
    ) -> Result<CustomResult, ErrorData> {
        let CustomRequest { method, params, .. } = custom;
        let request = self.request(request);
        tasks::check(&self.shared, &method, request.era, &request.client)?;
        Err(malformed::refuse(&method, params.as_ref(), request.era))
    }
}

async fn tell_session(peer: &Peer<RoleServer>, change: RegistryChange) {
    // A disconnected client ends its session elsewhere.
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
