//! Dispatches messages to the methods that handle them.

#![allow(
    deprecated,
    reason = "SEP-2577 deprecates logging and subscribe, but current clients use them"
)]

use std::sync::Arc;

use rmcp::model::{
    DiscoverResult, EmptyObject, ErrorData, InitializeRequestParams, ProtocolVersion,
};

use super::calls::run_audited;
use super::params::{self, ListenParams, Params};
use super::request_span::RequestSpan;
use super::rules::Rules;
use super::{Action, Engine, ListenStream, Message, listen, message};
use crate::audit::Audit;
use crate::caller::Request;
use crate::error::Error as E;
use crate::handler::{info, method_names, skills, tasks};
use crate::quota::MAX_INITIALIZE;
use crate::session::{
    ClientDescription, Era, Handshake, Interest, ListenFilter, OpenRequest, Session,
};

impl Engine {
    /// Handles a message from a client.
    pub(crate) fn handle_message(&self, message: Message<'_>, mut request: Request) -> Action {
        let (id, method, raw) = match message {
            Message::Request { id, method, params } => (id, method, params),
            Message::Notification { method, params } => {
                return self.handle_notification(&request.session, &method, params);
            }
            Message::Response { id, answer } => {
                request.session.connection.deliver_answer(&id, answer.map(Box::from));
                return Action::Accepted;
            }
        };
        request.id = id.clone();
        if let Err(error) = self.check_request(&request, &method, raw) {
            return Action::Reply(message::error_reply(Some(&id), &error));
        }
        let (meta, mut params) =
            params::read_typed(&method, raw).unwrap_or_else(|| params::read_any(raw));
        // Resolve aliases first, so that all checks apply to the tool that is actually called.
        if let Params::CallTool(call) = &mut params
            && let Some(called) = self.shared.called_tool(&call.name, call.arguments.as_ref())
        {
            (call.name, call.arguments) = (called.0.into(), called.1);
        }
        if let ("initialize", Params::Refused(fault)) = (&*method, &params)
            && meta.protocol_version().is_none_or(|version| version.has_initialize())
            && !matches!(
                request.session.connection.handshake(),
                Handshake::Without(version) if !version.has_initialize()
            )
        {
            let error = fault.error_data(&method, Era::Legacy);
            return Action::Reply(message::error_reply(Some(&id), &error));
        }
        let rules = match Rules::for_request(&request.session, &meta, &params) {
            Ok(rules) => rules,
            Err(error) => return Action::Reply(message::error_reply(Some(&id), &error)),
        };
        request.client = rules.find_client(&request.session, &meta);
        (request.era, request.meta) = (rules.era, meta);
        let span = RequestSpan::start_span(&self.shared, &method, &params, &request);
        let entered = span.as_ref().map(|span| span.span().clone().entered());
        let action = self.handle_request(&method, params, request, rules);
        drop(entered);
        let action =
            action.unwrap_or_else(|error| Action::Reply(message::error_reply(Some(&id), &error)));
        let Some(span) = span else { return action };
        match action {
            Action::Run(call) => Action::Run(call.with_span(span)),
            Action::Listen(stream) => Action::Listen(Box::new(stream.with_span(span))),
            Action::Accepted | Action::Changes(_) => action,
            Action::Reply(reply) => {
                span.end_span(&reply);
                Action::Reply(reply)
            }
        }
    }

    /// Checks a request before its parameters are read.
    fn check_request(
        &self,
        request: &Request,
        method: &str,
        raw: Option<&str>,
    ) -> Result<(), ErrorData> {
        if request.session.connection.is_running(&request.id) {
            return Err(E::IdInUse.into());
        }
        if method == "initialize" && raw.is_some_and(|raw| raw.len() > MAX_INITIALIZE) {
            return Err(E::LongInitialize(MAX_INITIALIZE).into());
        }
        if skills::is_undeclared(&self.shared, method) {
            return Err(skills::undeclared_skills(method));
        }
        Ok(())
    }

    fn handle_notification(
        &self,
        session: &Arc<Session>,
        method: &str,
        params: Option<&str>,
    ) -> Action {
        let is_session = || matches!(session.connection.handshake(), Handshake::Initialized(_));
        match method {
            "notifications/initialized" if is_session() && session.set_initialized() => {
                let interest = Interest::Session(Arc::downgrade(session));
                let registry = &self.shared.genkit.registry;
                return Action::Changes(self.shared.notifier.subscribe(interest, registry));
            }
            "notifications/cancelled" => {
                if let Some(id) = params.and_then(params::read_cancelled) {
                    session.connection.cancel_request(&id);
                }
            }
            _ => {}
        }
        Action::Accepted
    }

    fn handle_request(
        &self,
        method: &str,
        params: Params,
        request: Request,
        rules: Rules,
    ) -> Result<Action, ErrorData> {
        let (session, era) = (&request.session, rules.era);
        tasks::check_method(&self.shared, method, era, &request.client)?;
        let done = || Action::Reply(message::result_reply(&request.id, &EmptyObject {}));
        match params {
            Params::Initialize(params) if era == Era::Legacy => {
                Ok(self.initialize_session(&request, &params, rules.is_forgotten))
            }
            Params::Discover => {
                let versions = ProtocolVersion::KNOWN_VERSIONS.to_vec();
                let info = info::info_with_extensions(&self.shared);
                let result = DiscoverResult::from_server_info(versions, info);
                Ok(Action::Reply(message::result_reply(&request.id, &result)))
            }
            Params::Ping if rules.in_session => Ok(done()),
            Params::SetLevel(level) if era == Era::Legacy => {
                session.set_level(genkit_mcp::internal::level::from_mcp(level));
                Ok(done())
            }
            Params::Subscribe(_) | Params::Unsubscribe(_) if rules.is_forgotten => {
                let why = "this server is stateless and cannot send change notifications";
                Err(method_names::undeclared_method(method, why))
            }
            Params::Subscribe(uri) if rules.in_session => {
                run_audited("resources/subscribe", &uri, &request, || session.subscribe(&uri))?;
                Ok(done())
            }
            Params::Unsubscribe(uri) if rules.in_session => {
                let unsubscribe = || {
                    session.unsubscribe(&uri);
                    Ok(())
                };
                run_audited("resources/unsubscribe", &uri, &request, unsubscribe)?;
                Ok(done())
            }
            Params::Listen(params) if !rules.in_session => {
                self.open_listen_stream(params, &request)
            }
            Params::Initialize(_)
            | Params::Ping
            | Params::SetLevel(_)
            | Params::Subscribe(_)
            | Params::Unsubscribe(_)
            | Params::Listen(_) => Err(method_names::unknown_method(method, era)),
            Params::List(kind, cursor) => self.list_items(kind, cursor, request),
            Params::CallTool(params) => self.call_tool(params, request),
            Params::GetPrompt(params) => self.get_prompt(params, request),
            Params::ReadResource(params) => self.read_resource(params, request),
            Params::GetSkill(uri) => self.get_skill(uri, request),
            Params::ReadDirectory(params) => self.read_directory(params, request),
            Params::Complete(params) => self.complete_argument(params, request),
            Params::Task(task) => self.answer_task(task, request),
            Params::Refused(refused) => Err(refused.error_data(method, era)),
        }
    }

    fn initialize_session(
        &self,
        request: &Request,
        params: &InitializeRequestParams,
        is_forgotten: bool,
    ) -> Action {
        let mut known = ProtocolVersion::KNOWN_VERSIONS.iter();
        let asked = known.find(|it| **it == params.protocol_version && it.has_initialize());
        let version = asked.unwrap_or(&ProtocolVersion::LATEST_WITH_INITIALIZE).clone();
        let client = ClientDescription::new(Some(&params.client_info), &params.capabilities);
        request.session.connection.set_initialized(version.clone(), client);
        let mut result = match is_forgotten {
            true => info::without_session(&self.shared),
            false => info::server_info(&self.shared),
        };
        result.protocol_version = version;
        Action::Reply(message::result_reply(&request.id, &result))
    }

    fn open_listen_stream(
        &self,
        params: ListenParams,
        request: &Request,
    ) -> Result<Action, ErrorData> {
        if params.names_tasks {
            tasks::check_listening(&request.client)?;
        }
        let accepted = listen::accept_filter(params.notifications);
        let audit = Audit::start_record("subscriptions/listen", "", request.request_source(), None);
        let admitted = request.quota.count_request().and_then(|()| {
            let sees = self.shared.seen_by(request.head.principal());
            let filter = ListenFilter::new(&accepted, request.session.quota())?.limit_to(sees);
            Ok((filter, OpenRequest::new(&request.session, &request.id, &request.cancel)?))
        });
        let (filter, open) = match admitted {
            Ok(admitted) => admitted,
            Err(error) => {
                audit.record_refusal(&error);
                return Err(error.into());
            }
        };
        let (notifier, registry) = (&self.shared.notifier, &self.shared.genkit.registry);
        let changes = notifier.subscribe(Interest::Listen(filter), registry);
        let server = info::server_info(&self.shared).server_info;
        let cancel = request.cancel.clone();
        let stream = ListenStream::new(open, cancel, accepted, changes, server, audit);
        Ok(Action::Listen(Box::new(stream)))
    }
}
