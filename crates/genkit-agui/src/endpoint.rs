//! The HTTP endpoint: checks before a run starts.

use std::net::SocketAddr;
use std::sync::Arc;
use std::time::Duration;

use axum::extract::{ConnectInfo, Request};
use axum::http::{Method, StatusCode};
use axum::response::{IntoResponse as _, Response};
use serde_json::{Map, Value};
use tokio_util::sync::CancellationToken;

use genkit_agent::internal::{ThreadAgent, ThreadTurn};
use genkit_core::internal::environment::is_development;
use genkit_flows::ContextProvider;
use genkit_flows::internal::{action_context, flow_request};
use genkit_http_server::internal::{
    AllowedHosts, BodyRoom, Cors, Drain, FairLimit, FairPlace, read_body,
};

use crate::agent::{Agent, AguiRequest, Kind};
use crate::builder::AguiSettings;
use crate::error::Error as E;
use crate::history::Conversation;
use crate::input::RunInput;
use crate::ledger::{Binding, Ledger};
use crate::run::AdmittedRun;
use crate::thread::{AdmittedThread, LOAD_TIMEOUT, ThreadRequest};
use genkit_flows::internal::Rejection;

/// The supported methods.
const METHODS: &str = "POST, OPTIONS";

/// The maximum number of requests whose context providers run at the same time. Default is 256, or the concurrency limit
/// if that is less.
const MAX_ADMITTING: usize = 256;

/// The state shared by all requests to a server.
pub(crate) struct AguiEndpoint {
    agent: Agent,
    providers: Vec<Arc<dyn ContextProvider>>,
    forwarded_props: Vec<String>,
    page_tools: Vec<String>,
    max_message: usize,
    room: Arc<BodyRoom>,
    /// The clients whose context providers run.
    admitting: Arc<FairLimit<String>>,
    running: Arc<FairLimit<String>>,
    max_in_flight: usize,
    hosts: AllowedHosts,
    cors: Cors,
    drain: Drain,
    pub(crate) ledger: Ledger,
    pub(crate) timeout: Duration,
    pub(crate) exposes_errors: bool,
    pub(crate) end: CancellationToken,
}

impl AguiEndpoint {
    pub(crate) fn new(
        agent: Agent,
        settings: AguiSettings,
        drain: Drain,
        end: CancellationToken,
    ) -> Result<Self, E> {
        Ok(Self {
            agent,
            providers: settings.providers,
            forwarded_props: settings.forwarded_props,
            page_tools: settings.page_tools,
            max_message: settings.max_message,
            room: BodyRoom::new(settings.max_message),
            admitting: FairLimit::new(MAX_ADMITTING.min(settings.max_in_flight)),
            running: FairLimit::new(settings.max_in_flight),
            max_in_flight: settings.max_in_flight,
            hosts: AllowedHosts::with_wildcard(settings.hosts),
            cors: Cors::new(settings.origins, METHODS, ""),
            drain,
            ledger: Ledger::new(settings.sealing_key.as_deref())?,
            timeout: settings.timeout,
            exposes_errors: settings.expose_errors.unwrap_or_else(is_development),
            end,
        })
    }

    /// Handles a request.
    pub(crate) async fn answer(self: &Arc<Self>, request: Request) -> Response {
        let (headers, uri) = (request.headers(), request.uri());
        if let Err(rejection) = self.hosts.check(headers, uri) {
            return Rejection::from(E::from(rejection)).into_response();
        }
        let Some(rights) = self.cors.check(headers, uri) else {
            return Rejection::from(E::Origin).into_response();
        };
        let counted = self.drain.begin();
        let admitted = self.admit(request).await;
        let mut response = admitted.unwrap_or_else(Rejection::into_response);
        self.cors.grant(rights, response.headers_mut());
        counted.until_sent(response)
    }

    async fn admit(self: &Arc<Self>, request: Request) -> Result<Response, Rejection> {
        match *request.method() {
            Method::POST => {}
            Method::OPTIONS => {
                let mut response = StatusCode::NO_CONTENT.into_response();
                self.cors.preflight(request.headers(), response.headers_mut());
                return Ok(response);
            }
            _ => return Err(E::Method.into()),
        }
        let (parts, body) = request.into_parts();
        let from = parts.extensions.get::<ConnectInfo<SocketAddr>>().map(|from| from.0.ip());
        let body = read_body(body, self.max_message, &self.room, from).await.map_err(E::from)?;
        // Slots are taken after the body was read, so that a slow body does not hold a slot.
        let address = from.map_or_else(String::new, |from| format!("address {from}"));
        let admitting = self.take_place(&self.admitting, address.clone())?;
        let (context, owner) = self.identify(&parts).await?;
        drop(admitting);
        let client = if context.is_empty() { address } else { format!("caller {owner}") };
        let place = self.take_place(&self.running, client.clone())?;
        let mut input = RunInput::parse(&body.bytes)?;
        drop(body);
        let binding = Binding::new(&owner, &input.thread_id);
        let tools = input.client_tools()?;
        let own = tools.iter().map(|tool| tool.name().to_owned());
        let page_tools = own.chain(self.page_tools.iter().cloned()).collect();
        let request = AguiRequest {
            thread_id: input.thread_id.clone(),
            run_id: input.run_id.clone(),
            action_context: context.clone(),
            context: input.context.take().unwrap_or_default(),
            state: input.state.take(),
            forwarded_props: input.allowed_props(&self.forwarded_props),
            extensions: parts.extensions,
        };
        let run = match &self.agent.0 {
            Kind::Fixed(run) => (**run).clone(),
            Kind::Created(create) => {
                let run = Agent::create_run(create, request).await;
                run.map_err(|error| self.masked(error))?
            }
            Kind::Threads(agent) => {
                let turn = ThreadTurn {
                    owner,
                    thread: input.thread_id.clone(),
                    action_context: context,
                    exposes_errors: self.exposes_errors,
                    tools,
                    ..ThreadTurn::default()
                };
                return self.admit_thread(agent, turn, input, binding, page_tools, place).await;
            }
        };
        let run = if self.providers.is_empty() { run } else { run.action_context(context) };
        let mut conversation = Conversation::rebuild(&mut input, &self.ledger, &binding, &client)?;
        let (known_calls, carrier) =
            (std::mem::take(&mut conversation.known_calls), conversation.carrier.take());
        let run = conversation.apply_to(run.tools(tools));
        let ui_stream = input.ui_stream.take();
        let ids = input.into_ids();
        let of_run = ids.clone();
        let admitted = AdmittedRun { run, ids, binding, known_calls, carrier, page_tools, place };
        Ok(self.stream(of_run, ui_stream, |endpoint, sender| async move {
            endpoint.drive(admitted, &sender).await
        }))
    }

    /// Starts a turn of an agent that keeps its threads.
    async fn admit_thread(
        self: &Arc<Self>,
        agent: &Arc<dyn ThreadAgent>,
        turn: ThreadTurn,
        mut input: RunInput,
        binding: Binding,
        page_tools: Vec<String>,
        place: FairPlace<String>,
    ) -> Result<Response, Rejection> {
        let loading = agent.load_thread(&turn.owner, &turn.thread);
        let state = tokio::time::timeout(LOAD_TIMEOUT, loading).await;
        let state = state.map_err(|_| E::Overdue(LOAD_TIMEOUT))?;
        let state = state.map_err(|error| self.masked(error))?;
        let request = ThreadRequest::read(&mut input, state, &self.ledger, &binding, &page_tools)?;
        let ui_stream = input.ui_stream.take();
        let (agent, ids) = (Arc::clone(agent), input.into_ids());
        let of_run = ids.clone();
        let admitted = AdmittedThread { agent, request, turn, ids, binding, page_tools, place };
        Ok(self.stream(of_run, ui_stream, |endpoint, sender| async move {
            endpoint.drive_thread(admitted, &sender).await
        }))
    }

    fn masked(&self, error: genkit_core::Error) -> Rejection {
        Rejection::masked(error, self.exposes_errors)
    }

    fn take_place(
        &self,
        limit: &Arc<FairLimit<String>>,
        client: String,
    ) -> Result<FairPlace<String>, E> {
        limit.take(client).ok_or(E::TooManyRunning(self.max_in_flight))
    }

    /// Returns the number of runs that can start now.
    #[cfg(test)]
    pub(crate) fn free_places(&self) -> usize {
        self.running.count_free()
    }

    /// Returns the action context of a request, and the owner of its threads.
    async fn identify(
        &self,
        parts: &http::request::Parts,
    ) -> Result<(Map<String, Value>, String), Rejection> {
        if self.providers.is_empty() {
            return Ok((Map::new(), String::new()));
        }
        let extensions = parts.extensions.clone();
        let request = flow_request("agent", &parts.method, &parts.headers, Value::Null, extensions);
        let known = action_context(&self.providers, &request).await;
        known.map_err(|error| self.masked(error))
    }
}
