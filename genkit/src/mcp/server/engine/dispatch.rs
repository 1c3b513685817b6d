//! From a message to what becomes of it.

#![allow(
    deprecated,
    reason = "SEP-2577 deprecates logging and subscribe; clients of today have them"
)]

use std::hash::{BuildHasher as _, BuildHasherDefault, DefaultHasher};
use std::sync::Arc;

use rmcp::model::{
    CallToolResult, CancelledNotificationParam, ClientCapabilities, DiscoverResult, EmptyObject,
    ErrorCode, ErrorData, GetPromptResponse, InitializeRequestParams, InputRequiredResult,
    ProtocolVersion, ReadResourceResponse, RequestId, RequestMetaObject, ServerResult,
    SubscriptionsListenRequestParams,
};

use super::call::Written;
use super::connection::OpenRequest;
use super::params::{self, Params};
use super::{Action, Call, Engine, Handshake, Incoming, ListenStream, Origin, listen, message};
use crate::mcp::server::channel::Channel;
use crate::mcp::server::client::ClientDescription;
use crate::mcp::server::error::Error as E;
use crate::mcp::server::handler::{Methods, ToolReply, completion, info};
use crate::mcp::server::quota::MAX_INITIALIZE;
use crate::mcp::server::request::Request;
use crate::mcp::server::results;
use crate::mcp::server::session::{Era, Interest, ListenFilter, Session};

/// The rules that a request follows.
struct Rules {
    era: Era,
    /// It describes its client itself, and what a handshake told is not asked.
    described: bool,
    /// It may use the methods that only a session has.
    in_session: bool,
}

impl Engine {
    /// What becomes of a message of the client of `session`.
    pub(crate) fn receive(
        &self,
        session: &Arc<Session>,
        message: Incoming<'_>,
        origin: Origin,
    ) -> Action {
        match message {
            Incoming::Request { id, method, params } => {
                match self.request(session, &id, &method, params, origin) {
                    Ok(action) => action,
                    Err(error) => Action::Reply(message::error(Some(&id), &error)),
                }
            }
            Incoming::Notification { method, params } => self.notified(session, &method, params),
            Incoming::Response { id, answer } => {
                session.connection.answer(&id, answer.map(Box::from));
                Action::Accepted
            }
        }
    }

    fn notified(&self, session: &Arc<Session>, method: &str, params: Option<&str>) -> Action {
        let handshake = session.connection.handshake();
        match method {
            "notifications/initialized"
                if matches!(handshake, Handshake::Initialized(_)) && session.initialized() =>
            {
                let interest = Interest::Session(Arc::downgrade(session));
                let registry = &self.shared.genkit.registry;
                return Action::Changes(self.shared.notifier.subscribe(interest, registry));
            }
            "notifications/cancelled" => {
                let params = params.map(serde_json::from_str::<CancelledNotificationParam>);
                if let Some(Ok(CancelledNotificationParam { request_id: Some(id), .. })) = params {
                    session.connection.cancel(&id);
                }
            }
            _ => {}
        }
        Action::Accepted
    }

    fn request(
        &self,
        session: &Arc<Session>,
        id: &RequestId,
        method: &str,
        raw: Option<&str>,
        origin: Origin,
    ) -> Result<Action, ErrorData> {
        if session.connection.is_running(id) {
            return Err(E::IdInUse.into());
        }
        if method == "initialize" && raw.is_some_and(|raw| raw.len() > MAX_INITIALIZE) {
            return Err(E::LongInitialize(MAX_INITIALIZE).into());
        }
        let (meta, params) = params::read(method, raw);
        let rules = rules(session, &meta, &params)?;
        let known = |error: ErrorData| rules.era.of_error(error);
        if !matches!(
            params,
            Params::Initialize(_) | Params::Discover | Params::Ping | Params::SetLevel(_)
        ) && !runs(&params)
        {
            origin.client.count_request()?;
        }
        let unknown = || ErrorData::new(ErrorCode::METHOD_NOT_FOUND, method.to_owned(), None);
        let done = || Action::Reply(message::result(id, &EmptyObject {}));
        let function =
            |name: &str| BuildHasherDefault::<DefaultHasher>::default().hash_one((method, name));
        let engine = self.clone();
        match params {
            Params::Initialize(params) => Ok(self.initialize(session, id, &params)),
            Params::Discover => {
                let versions = ProtocolVersion::KNOWN_VERSIONS.to_vec();
                let info = info::info(&self.shared.settings);
                let result = DiscoverResult::from_server_info(versions, info);
                Ok(Action::Reply(message::result(id, &result)))
            }
            Params::Ping if rules.in_session => Ok(done()),
            Params::SetLevel(params) if rules.era == Era::Legacy => {
                session.set_level(crate::mcp::level::of_mcp(params.level));
                Ok(done())
            }
            Params::Subscribe(uri) if rules.in_session => {
                session.subscribe(&uri)?;
                Ok(done())
            }
            Params::Unsubscribe(uri) if rules.in_session => {
                session.unsubscribe(&uri);
                Ok(done())
            }
            Params::Listen(params) if !rules.in_session => self.listen(session, id, params, origin),
            Params::Ping
            | Params::SetLevel(_)
            | Params::Subscribe(_)
            | Params::Unsubscribe(_)
            | Params::Listen(_) => Err(unknown()),
            Params::List(kind, cursor) => {
                let page = move |engine: &Self| {
                    let lists = engine.shared.lists();
                    lists.encoded(kind, rules.era, cursor.as_deref(), &engine.shared.settings)
                };
                if self.shared.has_all_hosts() {
                    let page = page(self)?;
                    return Ok(Action::Reply(message::encoded(id, &page)));
                }
                self.run(session, id, 0, origin.cancel, async move {
                    engine.shared.with_hosts().await;
                    let page = page(&engine)?;
                    Ok(Box::new(move |id: &RequestId| message::encoded(id, &page)) as Written)
                })
            }
            Params::CallTool(params) => {
                let (function, cancel) = (function(&params.name), origin.cancel.clone());
                let request = request(session, meta, &rules, origin);
                let era = rules.era;
                self.run(session, id, function, cancel, async move {
                    let methods = Methods { shared: &engine.shared };
                    let reply =
                        methods.call_tool(params, request).await.map_err(|e| era.of_error(e))?;
                    era.tool_reply(reply)
                })
            }
            Params::GetPrompt(params) => {
                let (function, cancel) = (function(&params.name), origin.cancel.clone());
                let request = request(session, meta, &rules, origin);
                let era = rules.era;
                self.run(session, id, function, cancel, async move {
                    let methods = Methods { shared: &engine.shared };
                    match methods.get_prompt(params, request).await.map_err(|e| era.of_error(e))? {
                        GetPromptResponse::InputRequired(required) => era.input_required(required),
                        reply => era.written(reply.into()),
                    }
                })
            }
            Params::ReadResource(params) => {
                let (function, cancel) = (function(&params.uri), origin.cancel.clone());
                let request = request(session, meta, &rules, origin);
                let era = rules.era;
                self.run(session, id, function, cancel, async move {
                    let methods = Methods { shared: &engine.shared };
                    match methods
                        .read_resource(params, request)
                        .await
                        .map_err(|e| era.of_error(e))?
                    {
                        ReadResourceResponse::InputRequired(required) => {
                            era.input_required(required)
                        }
                        reply => era.written(reply.into()),
                    }
                })
            }
            Params::Complete(params) => {
                let (function, cancel) = (function(&params.argument.name), origin.cancel.clone());
                let request = request(session, meta, &rules, origin);
                let era = rules.era;
                self.run(session, id, function, cancel, async move {
                    let found = completion::complete(&engine.shared, params, request).await;
                    era.written(ServerResult::CompleteResult(found.map_err(|e| era.of_error(e))?))
                })
            }
            Params::Refused(refused) => {
                if method.starts_with("tasks/")
                    && info::info(&self.shared.settings).capabilities.supports_tasks()
                {
                    let client = client(session, &meta, &rules);
                    if !client.tasks {
                        let tasks = ClientCapabilities::builder().enable_tasks().build();
                        return Err(ErrorData::missing_required_client_capability(tasks));
                    }
                }
                Err(known(refused.error(method, rules.era)))
            }
        }
    }

    fn initialize(
        &self,
        session: &Session,
        id: &RequestId,
        params: &InitializeRequestParams,
    ) -> Action {
        let asked = &params.protocol_version;
        let versions = ProtocolVersion::KNOWN_VERSIONS.iter();
        let version = versions.clone().find(|known| *known == asked && known.has_initialize());
        let version = version.unwrap_or(&ProtocolVersion::LATEST_WITH_INITIALIZE).clone();
        let client = ClientDescription::new(Some(&params.client_info), &params.capabilities);
        session.connection.initialize(version.clone(), client);
        let mut result = info::info(&self.shared.settings);
        result.protocol_version = version;
        Action::Reply(message::result(id, &result))
    }

    fn listen(
        &self,
        session: &Arc<Session>,
        id: &RequestId,
        params: SubscriptionsListenRequestParams,
        origin: Origin,
    ) -> Result<Action, ErrorData> {
        let accepted = listen::accepted(params.notifications);
        let filter = ListenFilter::new(&accepted, session.quota())?;
        let open = OpenRequest::new(session, id, &origin.cancel)?;
        let (notifier, registry) = (&self.shared.notifier, &self.shared.genkit.registry);
        let changes = notifier.subscribe(Interest::Listen(filter), registry);
        let server = info::info(&self.shared.settings).server_info;
        let stream = ListenStream::new(open, origin.cancel, accepted, changes, server);
        Ok(Action::Listen(stream))
    }

    fn run(
        &self,
        session: &Arc<Session>,
        id: &RequestId,
        function: u64,
        cancel: tokio_util::sync::CancellationToken,
        work: impl Future<Output = Result<Written, ErrorData>> + Send + 'static,
    ) -> Result<Action, ErrorData> {
        let open = OpenRequest::new(session, id, &cancel)?;
        Ok(Action::Run(Call::new(function, open, cancel, work)))
    }
}

/// Whether a function runs for it, which counts the request itself.
fn runs(params: &Params) -> bool {
    matches!(
        params,
        Params::CallTool(_) | Params::GetPrompt(_) | Params::ReadResource(_) | Params::Complete(_)
    )
}

fn request(
    session: &Arc<Session>,
    meta: RequestMetaObject,
    rules: &Rules,
    origin: Origin,
) -> Request {
    Request {
        era: rules.era,
        client: client(session, &meta, rules),
        meta,
        session: Arc::clone(session),
        channel: Channel::Engine(origin.outlet, Arc::clone(session)),
        cancel: origin.cancel,
        head: origin.head,
        quota: origin.client,
    }
}

/// What the request says of its client, and of the rest what the handshake told.
fn client(session: &Session, meta: &RequestMetaObject, rules: &Rules) -> Arc<ClientDescription> {
    let known =
        session.connection.client().filter(|_| !rules.described && rules.era == Era::Legacy);
    if meta.is_empty() {
        return known.unwrap_or_else(ClientDescription::unknown);
    }
    ClientDescription::of_request(meta, known.as_ref())
}

/// The rules of a request, or why it follows none.
fn rules(session: &Session, meta: &RequestMetaObject, params: &Params) -> Result<Rules, ErrorData> {
    let handshake = session.connection.handshake();
    let settled = match &handshake {
        Handshake::Initialized(version) | Handshake::Without(version) => Some(version),
        Handshake::Waiting | Handshake::Described => None,
    };
    let opens = matches!(params, Params::Initialize(_))
        || matches!((params, &handshake), (Params::Ping, Handshake::Waiting));
    let named = if meta.is_empty() || opens { None } else { meta.protocol_version() };
    let modern = named.as_ref().is_some_and(|version| !version.has_initialize());
    let described = !opens && (modern || settled.is_none() || matches!(params, Params::Discover));
    if described {
        let missing = meta.missing_required_keys(&ProtocolVersion::V_2026_07_28);
        if !missing.is_empty() {
            let missing = missing.join(", ");
            let why =
                format!("request _meta is missing or has malformed required fields: {missing}");
            return Err(ErrorData::invalid_params(why, None));
        }
    }
    if let Some(version) = &named
        && !ProtocolVersion::KNOWN_VERSIONS.contains(version)
    {
        let known = ProtocolVersion::KNOWN_VERSIONS;
        return Err(ErrorData::unsupported_protocol_version(version.clone(), known));
    }
    if described && !matches!(params, Params::Discover) {
        session.connection.described();
    }
    let version = named.as_ref().or(settled);
    let in_session = !described && version.is_none_or(ProtocolVersion::has_initialize);
    let era = version.map_or(Era::Legacy, Era::of_version);
    Ok(Rules { era, described, in_session })
}

impl Era {
    /// An error as clients of the era know it.
    fn of_error(self, mut error: ErrorData) -> ErrorData {
        if self == Self::Modern && error.code == ErrorCode::RESOURCE_NOT_FOUND {
            error.code = ErrorCode::INVALID_PARAMS;
        }
        error
    }

    fn tool_reply(self, reply: ToolReply) -> Result<Written, ErrorData> {
        let (tool, mut result, limit) = match reply {
            ToolReply::InputRequired(required) => return self.input_required(required),
            ToolReply::Complete { tool, result, limit } => (tool, result, limit),
        };
        let shown = move |mut result: CallToolResult| {
            if self == Self::Legacy {
                result.result_type = None;
            }
            result
        };
        result = shown(result);
        Ok(Box::new(move |id| {
            message::limited(id, &result, limit, |size| {
                shown(results::too_large(&tool, size, limit))
            })
        }))
    }

    fn written(self, mut result: ServerResult) -> Result<Written, ErrorData> {
        match self {
            Self::Modern => result.fill_missing_cache_hints(),
            Self::Legacy => result.strip_result_type_for_legacy_peer(),
        }
        Ok(Box::new(move |id| message::result(id, &result)))
    }

    fn input_required(self, required: InputRequiredResult) -> Result<Written, ErrorData> {
        if self == Self::Legacy {
            return Err(E::NotSealed.into());
        }
        Ok(Box::new(move |id| message::result(id, &required)))
    }
}
