//! The registry as an MCP server: one method for each thing that a client may ask.

#![allow(
    deprecated,
    reason = "SEP-2577 deprecates logging and subscribe; clients of today have them"
)]

use std::sync::Arc;

use rmcp::model::{
    CacheScope, CallToolRequestParams, CallToolResponse, CallToolResult, CompleteRequestParams,
    CompleteResult, CompletionInfo, ContentBlock, CustomRequest, CustomResult, ErrorCode,
    ErrorData, GetPromptRequestParams, GetPromptResponse, Implementation, ListPromptsResult,
    ListResourceTemplatesResult, ListResourcesResult, ListToolsResult, PaginatedRequestParams,
    ReadResourceRequestParams, ReadResourceResponse, Reference, ServerCapabilities, ServerConfig,
    SetLevelRequestMethod, SetLevelRequestParams, SubscribeRequestParams, SubscriptionFilter,
    Tool as McpTool, UnsubscribeRequestParams,
};
use rmcp::service::{NotificationContext, RequestContext, SubscriptionContext};
use rmcp::{RoleServer, ServerHandler};
use serde_json::{Map, Value};

use super::caller;
use super::convert;
use super::era::Era;
use super::gate::Gate;
use super::hub::Hub;
use super::lists::{self, ListCache, Lists};
use super::run::{Job, Ran};
use super::seal::Seal;
use super::session::{MAX_SUBSCRIPTIONS, Session};
use super::settings::Settings;
use crate::Genkit;
use crate::action::{Prompt, Resource, Strictness, Tool};
use crate::context::ContextParts;
use crate::error::{Error, Result};
use crate::suggest;

type Answer<T> = std::result::Result<T, ErrorData>;
type Request = RequestContext<RoleServer>;

/// The methods whose parameters we know: malformed ones are the client's fault, not unknown.
const KNOWN_METHODS: [&str; 14] = [
    "initialize",
    "server/discover",
    "ping",
    "tools/list",
    "tools/call",
    "prompts/list",
    "prompts/get",
    "resources/list",
    "resources/templates/list",
    "resources/read",
    "resources/subscribe",
    "resources/unsubscribe",
    "completion/complete",
    "logging/setLevel",
];

/// Those of them that the 2026-07-28 protocol took away: unknown there, whatever their parameters.
const REMOVED_METHODS: [&str; 5] =
    ["initialize", "ping", "logging/setLevel", "resources/subscribe", "resources/unsubscribe"];

/// What all connections of a server share.
pub(super) struct Shared {
    pub(super) genkit: Genkit,
    pub(super) settings: Settings,
    pub(super) seal: Seal,
    pub(super) gate: Gate,
    lists: ListCache,
    hub: Hub,
}

impl Shared {
    pub(super) fn new(genkit: Genkit, settings: Settings) -> Result<Self> {
        Ok(Self {
            seal: Seal::new(settings.sealing_key.as_deref())?,
            gate: Gate::new(settings.max_in_flight, settings.per_second),
            lists: ListCache::default(),
            hub: Hub::default(),
            genkit,
            settings,
        })
    }

    pub(super) fn lists(&self) -> Arc<Lists> {
        self.lists.get(&self.genkit.registry, &self.settings.filter)
    }

    fn tool(&self, name: &str) -> Option<Tool> {
        self.genkit.registry.tool(name).filter(|tool| self.settings.filter.tool(tool))
    }

    fn prompt(&self, name: &str) -> Option<Prompt> {
        self.genkit.registry.prompt(name).filter(|prompt| self.settings.filter.prompt(prompt))
    }

    /// The resource that answers for `uri`: a fixed address first, then the most specific
    /// template.
    fn resource(&self, uri: &str) -> Option<(Resource, Map<String, Value>)> {
        let filter = &self.settings.filter;
        if let Some(fixed) = self.genkit.registry.resource(uri) {
            if !fixed.is_template() && filter.resource(&fixed) {
                return Some((fixed, Map::new()));
            }
        }
        let templates = self.genkit.registry.resources();
        templates
            .into_iter()
            .filter(|resource| resource.is_template() && filter.resource(resource))
            .filter_map(|resource| Some((resource.matches(uri)?, resource)))
            .rev() // of equals, the first by name wins
            .max_by_key(|(_, resource)| resource.specificity())
            .map(|(variables, resource)| (resource, variables))
    }
}

/// One connection of a server: everything shared, and what this client chose.
#[derive(Clone)]
pub(super) struct McpHandler {
    pub(super) shared: Arc<Shared>,
    pub(super) session: Arc<Session>,
}

impl McpHandler {
    pub(super) fn new(shared: Arc<Shared>) -> Self {
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

    /// A tool's end as the client sees it.
    fn tool_result(
        &self,
        tool: &Tool,
        ran: Result<crate::action::ToolOutput>,
        era: Era,
    ) -> CallToolResult {
        let output = match ran {
            Ok(output) => output,
            Err(error) => {
                let schema = tool.schemas().portable_input();
                return convert::tool_error(&error, tool.name(), schema);
            }
        };
        let result = convert::tool_result(output, tool.schemas().shape(), era);
        let limit = tool.max_output().unwrap_or(self.shared.settings.max_output);
        match oversize(&result, limit) {
            None => result,
            Some(size) => {
                tracing::warn!(tool = tool.name(), size, limit, "an answer was too large to send");
                CallToolResult::error(vec![ContentBlock::text(format!(
                    "The answer of `{}` has {size} bytes, more than the limit of {limit}: ask for \
                     less, for example with a filter or a smaller page",
                    tool.name()
                ))])
            }
        }
    }
}

/// The size of an answer, if it is over the limit.
fn oversize(result: &CallToolResult, limit: usize) -> Option<usize> {
    let size = super::size::json_size(result);
    (size > limit).then_some(size)
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
            approval: tool.needs_approval().then(|| approval_message(&tool, &arguments)),
            arguments,
            timeout: tool.timeout().unwrap_or(self.shared.settings.timeout),
            state: params.request_state,
            responses: params.input_responses,
        };
        let how = self.strictness();
        let running = tool.clone();
        let ran = self
            .run(request, job, move |context, arguments| {
                let context = context.clone();
                Box::pin(async move { running.invoke(&context, arguments, how).await })
            })
            .await?;
        Ok(match ran {
            Ran::Done(result) => self.tool_result(&tool, result, era).into(),
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
        if let Some(said) = missing_arguments(&prompt, &arguments) {
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
                let context = context.clone();
                Box::pin(async move { running.invoke(&context, arguments, Strictness::Text).await })
            })
            .await?;
        match ran {
            Ran::Done(Ok(reply)) => Ok(convert::prompt_result(reply).into()),
            Ran::Done(Err(error)) => Err(convert::protocol_error(&prompt_error(&prompt, error))),
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
            return Err(convert::protocol_error(&crate::action::not_found(&uri)));
        };
        let job = Job {
            method: "resources/read",
            name: uri.clone(),
            arguments: Value::Object(variables),
            timeout: self.shared.settings.timeout,
            approval: None,
            state: params.request_state,
            responses: params.input_responses,
        };
        let running = resource.clone();
        let ran = self
            .run(request, job, move |context, variables| {
                let context = context.clone();
                let variables = variables.as_object().cloned().unwrap_or_default();
                Box::pin(async move { running.invoke(&context, variables).await })
            })
            .await?;
        match ran {
            Ran::Done(Ok(contents)) => {
                let mut result = convert::resource_result(contents, &uri, resource.mime_type());
                // What a function reads may differ from client to client: nobody else may keep it.
                result.ttl_ms = self.cache().0;
                result.cache_scope = Some(CacheScope::Private);
                Ok(result.into())
            }
            Ran::Done(Err(error)) => Err(convert::protocol_error(&resource_error(&uri, error))),
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
        let found = found.map_err(|error| convert::protocol_error(&error))?;
        Ok(CompleteResult::new(completion(found)))
    }

    async fn set_level(&self, params: SetLevelRequestParams, request: Request) -> Answer<()> {
        if Era::of(&request) == Era::Modern {
            return Err(ErrorData::method_not_found::<SetLevelRequestMethod>());
        }
        self.session.set_level(caller::level(params.level));
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
        let method = asked.method.as_str();
        let removed = Era::of(&request) == Era::Modern && REMOVED_METHODS.contains(&method);
        if KNOWN_METHODS.contains(&method) && !removed {
            let said = format!("malformed params of {}: {}", asked.method, malformed(&asked));
            return Err(ErrorData::invalid_params(said, None));
        }
        Err(ErrorData::new(ErrorCode::METHOD_NOT_FOUND, asked.method, None))
    }
}

/// What is wrong with the parameters of a known method, as far as it can be told.
fn malformed(asked: &CustomRequest) -> String {
    let Some(params) = &asked.params else { return "there are none".to_owned() };
    let Some(params) = params.as_object() else { return "they must be an object".to_owned() };
    let text = |key: &str| match params.get(key) {
        Some(Value::String(_)) => None,
        Some(_) => Some(format!("`{key}` must be a string")),
        None => Some(format!("`{key}` is missing")),
    };
    let object = |key: &str| match params.get(key) {
        Some(Value::Object(_) | Value::Null) | None => None,
        Some(_) => Some(format!("`{key}` must be an object")),
    };
    let found = match asked.method.as_str() {
        "tools/call" | "prompts/get" => text("name").or_else(|| object("arguments")),
        "resources/read" | "resources/subscribe" | "resources/unsubscribe" => text("uri"),
        "completion/complete" => object("ref").or_else(|| object("argument")),
        "logging/setLevel" => text("level"),
        _ => None,
    };
    found.unwrap_or_else(|| "they do not fit the protocol's schema".to_owned())
}

/// What the user reads before approving.
fn approval_message(tool: &Tool, arguments: &Value) -> String {
    /// How much of the arguments is shown.
    const SHOWN: usize = 1000;
    let name = tool.title().unwrap_or(tool.name());
    let mut shown = arguments.to_string();
    if shown.chars().count() > SHOWN {
        shown = shown.chars().take(SHOWN).chain("… (cut)".chars()).collect();
    }
    format!("Allow `{name}` to run with {shown}?")
}

/// The required arguments that a client left out, all at once.
fn missing_arguments(prompt: &Prompt, given: &Map<String, Value>) -> Option<String> {
    let missing: Vec<String> = prompt
        .arguments()
        .into_iter()
        .filter(|argument| argument.required && !given.contains_key(&argument.name))
        .map(|argument| format!("`{}`", argument.name))
        .collect();
    (!missing.is_empty()).then(|| {
        format!("prompt `{}` lacks required arguments: {}", prompt.name(), missing.join(", "))
    })
}

fn prompt_error(prompt: &Prompt, error: Error) -> Error {
    if error.kind() != crate::ErrorKind::InvalidArgument {
        return error;
    }
    Error::invalid_argument(format!("prompt `{}`: {}", prompt.name(), error.chain()))
}

/// A resource that says "not found", or whose variables do not fit, is an address that nobody
/// answers for.
fn resource_error(uri: &str, error: Error) -> Error {
    match error.kind() {
        crate::ErrorKind::NotFound | crate::ErrorKind::InvalidArgument => {
            Error::not_found(format!("Resource not found: {uri}: {}", error.chain()))
                .with_details(serde_json::json!({ "uri": uri }))
        }
        _ => error,
    }
}

/// MCP takes 100 suggestions and wants to know how many there are.
fn completion(mut found: Vec<String>) -> CompletionInfo {
    let total = found.len();
    found.truncate(CompletionInfo::MAX_VALUES);
    let more = total > found.len();
    let mut info = CompletionInfo::default();
    info.values = found;
    info.total = u32::try_from(total).ok();
    info.has_more = Some(more);
    info
}
