//! From a message to what becomes of it.

#![allow(
    deprecated,
    reason = "SEP-2577 deprecates logging and subscribe; clients of today have them"
)]

use std::hash::{BuildHasher as _, BuildHasherDefault, DefaultHasher};
use std::sync::Arc;

use rmcp::model::{
    CallToolRequestParams, CancelledNotificationParam, CompleteRequestParams, DiscoverResult,
    EmptyObject, ErrorCode, ErrorData, GetPromptRequestParams, GetPromptResponse,
    InitializeRequestParams, ProtocolVersion, ReadResourceDirectoryRequestParams,
    ReadResourceRequestParams, ReadResourceResponse, RequestId, ServerResult,
    SubscriptionsListenRequestParams,
};
use serde_json::Value;

use super::around::Surrounded;
use super::call::Written;
use super::params::{self, Params};
use super::rules::Rules;
use super::told::Told;
use super::{Action, Call, Engine, Incoming, ListenStream, Origin, listen, message};
use crate::mcp::server::audit::Audit;
use crate::mcp::server::caller::{Channel, Request};
use crate::mcp::server::error::Error as E;
use crate::mcp::server::handler::{Methods, completion, info, skills, tasks};
use crate::mcp::server::lists::{ListKind, Lists};
use crate::mcp::server::quota::MAX_INITIALIZE;
use crate::mcp::server::session::{
    ClientDescription, Era, Handshake, Interest, ListenFilter, OpenRequest, Session,
};
#[cfg(feature = "durable")]
use crate::mcp::server::tasks::{self as task, TaskAnswer, TaskCall};

/// How large the entry of a skill may be: 512 files with their addresses and digests.
const MAX_ENTRY: usize = 1024 * 1024;

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
        let is_session = || matches!(session.connection.handshake(), Handshake::Initialized(_));
        match method {
            "notifications/initialized" if is_session() && session.initialized() => {
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
        if skills::is_undeclared(&self.shared, method) {
            return Err(skills::undeclared(method));
        }
        let (meta, params) = params::read(method, raw);
        let rules = Rules::of(session, &meta, &params)?;
        let request = Request {
            era: rules.era,
            client: rules.client(session, &meta),
            meta,
            session: Arc::clone(session),
            channel: Channel::Engine(origin.outlet, Arc::clone(session)),
            cancel: origin.cancel,
            head: origin.head,
            quota: origin.client,
        };
        let Some(told) = Told::begin(&self.shared, id, method, &params, &request) else {
            return self.act(id, method, params, request, rules);
        };
        let action = told.span().in_scope(|| self.act(id, method, params, request, rules));
        Ok(match action {
            Ok(Action::Run(call)) => Action::Run(call.told(told)),
            Ok(Action::Listen(stream)) => Action::Listen(Box::new(stream.told(told))),
            Ok(action @ (Action::Accepted | Action::Changes(_))) => action,
            Ok(Action::Reply(reply)) => {
                told.end(&reply);
                Action::Reply(reply)
            }
            Err(error) => {
                let reply = message::error(Some(id), &error);
                told.end(&reply);
                Action::Reply(reply)
            }
        })
    }

    fn act(
        &self,
        id: &RequestId,
        method: &str,
        params: Params,
        request: Request,
        rules: Rules,
    ) -> Result<Action, ErrorData> {
        let (session, era) = (&request.session, rules.era);
        tasks::check(&self.shared, method, era, &request.client)?;
        let done = || Action::Reply(message::result(id, &EmptyObject {}));
        let call = NewCall { id, method, function: 0, around: None, engine: self.clone() };
        match params {
            Params::Initialize(params) if era == Era::Legacy => {
                Ok(self.initialize(session, id, &params))
            }
            Params::Discover => {
                let versions = ProtocolVersion::KNOWN_VERSIONS.to_vec();
                let info = info::described(&self.shared);
                let result = DiscoverResult::from_server_info(versions, info);
                Ok(Action::Reply(message::result(id, &result)))
            }
            Params::Ping if rules.in_session => Ok(done()),
            Params::SetLevel(params) if era == Era::Legacy => {
                session.set_level(crate::mcp::level::of_mcp(params.level));
                Ok(done())
            }
            Params::Subscribe(uri) if rules.in_session => {
                audited("resources/subscribe", &uri, &request, || session.subscribe(&uri))?;
                Ok(done())
            }
            Params::Unsubscribe(uri) if rules.in_session => {
                let unsubscribe = || {
                    session.unsubscribe(&uri);
                    Ok(())
                };
                audited("resources/unsubscribe", &uri, &request, unsubscribe)?;
                Ok(done())
            }
            Params::Listen(params) if !rules.in_session => self.listen(id, params, &request),
            Params::Initialize(_)
            | Params::Ping
            | Params::SetLevel(_)
            | Params::Subscribe(_)
            | Params::Unsubscribe(_)
            | Params::Listen(_) => {
                Err(ErrorData::new(ErrorCode::METHOD_NOT_FOUND, method.to_owned(), None))
            }
            Params::List(kind, cursor) => call.list(kind, cursor, request),
            Params::CallTool(params) => call.tool(params, request),
            Params::GetPrompt(params) => call.prompt(params, request),
            Params::ReadResource(params) => call.resource(params, request),
            Params::GetSkill(params) => call.skill(params.uri, request),
            Params::ReadDirectory(params) => call.directory(params, request),
            Params::Complete(params) => call.completion(params, request),
            #[cfg(feature = "durable")]
            Params::Task(task) => call.task(task, request),
            Params::Refused(refused) => Err(refused.error(method, era)),
        }
    }

    fn initialize(
        &self,
        session: &Session,
        id: &RequestId,
        params: &InitializeRequestParams,
    ) -> Action {
        let mut known = ProtocolVersion::KNOWN_VERSIONS.iter();
        let asked = known.find(|it| **it == params.protocol_version && it.has_initialize());
        let version = asked.unwrap_or(&ProtocolVersion::LATEST_WITH_INITIALIZE).clone();
        let client = ClientDescription::new(Some(&params.client_info), &params.capabilities);
        session.connection.initialize(version.clone(), client);
        let mut result = info::info(&self.shared);
        result.protocol_version = version;
        Action::Reply(message::result(id, &result))
    }

    fn listen(
        &self,
        id: &RequestId,
        params: SubscriptionsListenRequestParams,
        request: &Request,
    ) -> Result<Action, ErrorData> {
        let accepted = listen::accepted(params.notifications);
        let audit = Audit::begin("subscriptions/listen", "", request.asking(), None);
        let admitted = request.quota.count_request().and_then(|()| {
            let sees = self.shared.sees(request.head.identity());
            let filter = ListenFilter::new(&accepted, request.session.quota())?.seeing(sees);
            Ok((filter, OpenRequest::new(&request.session, id, &request.cancel)?))
        });
        let (filter, open) = match admitted {
            Ok(admitted) => admitted,
            Err(error) => {
                audit.refuse(&error);
                return Err(error.into());
            }
        };
        let (notifier, registry) = (&self.shared.notifier, &self.shared.genkit.registry);
        let changes = notifier.subscribe(Interest::Listen(filter), registry);
        let server = info::info(&self.shared).server_info;
        let cancel = request.cancel.clone();
        let stream = ListenStream::new(open, cancel, accepted, changes, server, audit);
        Ok(Action::Listen(Box::new(stream)))
    }
}

/// A request that may take its time.
struct NewCall<'a> {
    id: &'a RequestId,
    method: &'a str,
    /// Which function it is, among those that may be slow.
    function: u64,
    /// The middleware around it.
    around: Option<Surrounded>,
    engine: Engine,
}

impl NewCall<'_> {
    fn list(
        mut self,
        kind: ListKind,
        cursor: Option<String>,
        request: Request,
    ) -> Result<Action, ErrorData> {
        let shared = &self.engine.shared;
        let page_of = cursor.as_deref().unwrap_or_default();
        self.around = Surrounded::new(shared, kind.method(), page_of, || Value::Null, &request);
        if let Err(error) = request.quota.count_request() {
            return Err(request.refused(kind.method(), "", error));
        }
        let era = request.era;
        let page = move |engine: &Engine, request: &Request| {
            let lists = engine.shared.lists_of(&engine.shared.caller(&request.head));
            lists.encoded(kind, era, cursor.as_deref(), &engine.shared.settings)
        };
        if self.around.is_none() && self.engine.shared.has_all_hosts() {
            return Ok(Action::Reply(message::encoded(self.id, &page(&self.engine, &request)?)));
        }
        self.run(request, move |engine, request| async move {
            engine.shared.with_hosts().await;
            let page = page(&engine, &request)?;
            Ok(Box::new(move |id: &RequestId| message::encoded(id, &page)) as Written)
        })
    }

    fn tool(
        mut self,
        params: CallToolRequestParams,
        request: Request,
    ) -> Result<Action, ErrorData> {
        let era = request.era;
        let given = || params.arguments.clone().map_or(Value::Null, Value::Object);
        self.around =
            Surrounded::new(&self.engine.shared, "tools/call", &params.name, given, &request);
        self.named(&params.name).run(request, move |engine, request| async move {
            let methods = Methods::ready(&engine.shared).await;
            let reply = methods.call_tool(params, request).map_err(|error| era.error(error))?;
            era.tool_reply(reply.await.map_err(|error| era.error(error))?)
        })
    }

    #[cfg(feature = "durable")]
    fn task(self, task: TaskCall, request: Request) -> Result<Action, ErrorData> {
        self.named("").run(request, move |engine, request| async move {
            let answered = task::answer(&engine.shared, task, &request).await?;
            Ok(Box::new(move |id: &RequestId| match answered {
                TaskAnswer::Task(task) => message::result(id, &task),
                TaskAnswer::Done(done) => message::result(id, &done),
            }) as Written)
        })
    }

    fn prompt(
        mut self,
        params: GetPromptRequestParams,
        request: Request,
    ) -> Result<Action, ErrorData> {
        let (era, limit, name) = (request.era, self.max_output(), params.name.clone());
        let given = || params.arguments.clone().map_or(Value::Null, Value::Object);
        self.around =
            Surrounded::new(&self.engine.shared, "prompts/get", &params.name, given, &request);
        self.named(&params.name).run(request, move |engine, request| async move {
            let methods = Methods::ready(&engine.shared).await;
            let reply = methods.get_prompt(params, request).map_err(|error| era.error(error))?;
            match reply.await.map_err(|error| era.error(error))? {
                GetPromptResponse::InputRequired(required) => era.input_required(required),
                reply => era.result(reply.into(), name, limit),
            }
        })
    }

    fn resource(
        mut self,
        params: ReadResourceRequestParams,
        request: Request,
    ) -> Result<Action, ErrorData> {
        let shared = &self.engine.shared;
        let (era, limit, uri) = (request.era, shared.max_read(&params.uri), params.uri.clone());
        self.around =
            Surrounded::new(shared, "resources/read", &params.uri, || Value::Null, &request);
        self.named(&params.uri).run(request, move |engine, request| async move {
            let methods = Methods::ready(&engine.shared).await;
            let reply = methods.read_resource(params, request).map_err(|error| era.error(error))?;
            match reply.await.map_err(|error| era.error(error))? {
                ReadResourceResponse::InputRequired(required) => era.input_required(required),
                reply => era.result(reply.into(), uri, limit),
            }
        })
    }

    fn skill(self, uri: String, request: Request) -> Result<Action, ErrorData> {
        self.of_skills("skills/get", uri.clone(), request, move |methods, lists| {
            Ok(ServerResult::GetSkillResult(methods.get_skill(lists, &uri)?))
        })
    }

    fn directory(
        self,
        params: ReadResourceDirectoryRequestParams,
        request: Request,
    ) -> Result<Action, ErrorData> {
        let uri = params.uri.clone();
        self.of_skills("resources/directory/read", uri, request, move |methods, lists| {
            Ok(ServerResult::ListResourcesResult(methods.read_directory(lists, &params)?))
        })
    }

    /// What `read` makes of the lists that are there for the caller.
    fn of_skills(
        mut self,
        method: &'static str,
        uri: String,
        request: Request,
        read: impl FnOnce(&Methods<'_>, &Lists) -> Result<ServerResult, E> + Send + 'static,
    ) -> Result<Action, ErrorData> {
        let (era, limit) = (request.era, self.max_output().max(MAX_ENTRY));
        let shared = &self.engine.shared;
        self.around = Surrounded::new(shared, method, &uri, || Value::Null, &request);
        self.named(&uri).run(request, move |engine, request| async move {
            let methods = Methods::ready(&engine.shared).await;
            let lists = engine.shared.lists_of(&engine.shared.caller(&request.head));
            let result = audited(method, &uri, &request, || read(&methods, &lists))?;
            era.result(result, uri, limit)
        })
    }

    fn completion(
        mut self,
        params: CompleteRequestParams,
        request: Request,
    ) -> Result<Action, ErrorData> {
        let (era, limit, name) = (request.era, self.max_output(), params.argument.name.clone());
        let shared = &self.engine.shared;
        let none = || Value::Null;
        self.around = Surrounded::new(shared, "completion/complete", &name, none, &request);
        self.named(&params.argument.name).run(request, move |engine, request| async move {
            let found = completion::complete(&engine.shared, params, request).await;
            let found = found.map_err(|error| era.error(error))?;
            era.result(ServerResult::CompleteResult(found), name, limit)
        })
    }

    /// How large the answer of what has no limit of its own may be.
    fn max_output(&self) -> usize {
        self.engine.shared.settings.max_output
    }

    /// Of what the client called `name`.
    fn named(self, name: &str) -> Self {
        let hasher = BuildHasherDefault::<DefaultHasher>::default();
        Self { function: hasher.hash_one((self.method, name)), ..self }
    }

    fn run<F>(
        self,
        request: Request,
        work: impl FnOnce(Engine, Request) -> F,
    ) -> Result<Action, ErrorData>
    where
        F: Future<Output = Result<Written, ErrorData>> + Send + 'static,
    {
        let cancel = request.cancel.clone();
        let open = OpenRequest::new(&request.session, self.id, &cancel)?;
        let work = work(self.engine, request);
        Ok(Action::Run(match self.around {
            None => Call::new(self.function, open, cancel, work),
            Some(around) => Call::new(self.function, open, cancel, around.run(work)),
        }))
    }
}

/// Does what a request asks for at once, and records it.
fn audited<T>(
    method: &'static str,
    name: &str,
    request: &Request,
    work: impl FnOnce() -> Result<T, E>,
) -> Result<T, E> {
    let audit = Audit::begin(method, name, request.asking(), None);
    match request.quota.count_request().and_then(|()| work()) {
        Ok(done) => {
            audit.end("ok", None);
            Ok(done)
        }
        Err(error) => {
            audit.refuse(&error);
            Err(error)
        }
    }
}
