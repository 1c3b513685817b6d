//! The HTTP endpoint, which checks each request before its run starts.

use std::collections::HashSet;
use std::sync::Arc;
use std::sync::atomic::{AtomicBool, Ordering};
use std::time::Duration;

use axum::extract::Request;
use axum::response::Response;
use tokio_util::sync::CancellationToken;

use genkit_agent::internal::{ThreadAgent, ThreadTurn};
use genkit_core::internal::fair_share::hash_client;
use genkit_flows::internal::{AdmittedRequest, Gate, Rejection};
use genkit_http_server::internal::{Drain, FairPermit};

use crate::agent::{Agent, AguiRequest, Kind, agent_names, warn_about_declared};
use crate::builder::AguiServer;
use crate::error::Error as E;
use crate::history::Conversation;
use crate::input::RunInput;
use crate::ledger::{Binding, Ledger};
use crate::resumable::ResumableStreams;
use crate::run::{AdmittedRun, FrameSender, NewStream};
use crate::thread::{AdmittedThread, LOAD_TIMEOUT, ThreadRequest};

/// The state shared by all requests to a server.
pub(crate) struct AguiEndpoint {
    agent: Agent,
    forwarded_props: Vec<String>,
    page_tools: Vec<String>,
    /// The names of the tools that are agents, unless a function creates the runs.
    pub(crate) agents: Arc<HashSet<String>>,
    /// Set after the tools of the first run that a function created have been checked.
    has_checked: AtomicBool,
    pub(crate) gate: Gate,
    /// The last part of the path, which context providers see as the name.
    pub(crate) name: String,
    pub(crate) ledger: Ledger,
    pub(crate) timeout: Duration,
    /// The streams of active runs, if clients can reconnect to them.
    pub(crate) resumable: Option<Arc<ResumableStreams>>,
}

impl AguiEndpoint {
    pub(crate) fn new(
        server: AguiServer,
        drain: Drain,
        end: CancellationToken,
    ) -> genkit_core::Result<Self> {
        let AguiServer { agent, forwarded_props, page_tools, timeout, .. } = server;
        if let Kind::Threads(agent) = &agent.0 {
            agent.check_served()?;
        }
        let tools = match &agent.0 {
            Kind::Fixed(run) => run.known_tools(),
            Kind::Threads(agent) => agent.known_tools(),
            Kind::Created(_) => Vec::new(),
        };
        warn_about_declared(&tools, &page_tools);
        let (agents, has_checked) = (agent_names(&tools), AtomicBool::new(false));
        let ledger = Ledger::new(server.sealing_key.as_deref())?;
        let runs = server.gate.max_in_flight;
        let resumable = server.durable_streams.then(|| ResumableStreams::new(runs));
        let gate = Gate::new(server.gate, drain, end);
        let name = server.path.rsplit('/').next().unwrap_or_default().to_owned();
        Ok(Self {
            agent,
            forwarded_props,
            page_tools,
            agents,
            has_checked,
            gate,
            name,
            ledger,
            timeout,
            resumable,
        })
    }

    /// Handles a request.
    pub(crate) async fn answer(self: &Arc<Self>, request: Request) -> Response {
        let name = self.name.clone();
        self.gate.answer(request, name, |admitted| self.serve(admitted)).await
    }

    async fn serve(self: &Arc<Self>, admitted: AdmittedRequest) -> Result<Response, Rejection> {
        let AdmittedRequest { parts, body, action_context, owner, client, place } = admitted;
        let mut input = RunInput::parse(&body.bytes)?;
        drop(body);
        let binding = Binding::new(&owner, &input.thread_id);
        let tools = input.client_tools()?;
        let own = tools.iter().map(|tool| tool.name().to_owned());
        let page_tools = own.chain(self.page_tools.iter().cloned()).collect();
        let request = AguiRequest {
            thread_id: input.thread_id.clone(),
            run_id: input.run_id.clone(),
            action_context: action_context.clone().unwrap_or_default(),
            context: input.context.take().unwrap_or_default(),
            state: input.state.take(),
            forwarded_props: input.allowed_props(&self.forwarded_props),
            extensions: parts.extensions,
        };
        let mut agents = Arc::clone(&self.agents);
        let run = match &self.agent.0 {
            Kind::Fixed(run) => (**run).clone(),
            Kind::Created(create) => {
                let run = Agent::create_run(create, request).await;
                let run = run.map_err(|error| self.gate.mask_error(error))?;
                let tools = run.known_tools();
                if !self.has_checked.swap(true, Ordering::Relaxed) {
                    warn_about_declared(&tools, &self.page_tools);
                }
                agents = agent_names(&tools);
                run
            }
            Kind::Threads(agent) => {
                let turn = ThreadTurn {
                    owner,
                    client: client.clone(),
                    thread: input.thread_id.clone(),
                    action_context: action_context.unwrap_or_default(),
                    exposes_errors: self.gate.exposes_errors,
                    tools,
                    ..ThreadTurn::default()
                };
                let holder = (client, place);
                return self.admit_thread(agent, turn, input, binding, page_tools, holder).await;
            }
        };
        let run = match action_context {
            Some(context) => run.action_context(context),
            None => run,
        };
        let run = run.client_share(hash_client(&client));
        let mut conversation = Conversation::rebuild(&mut input, &self.ledger, &binding, &client)?;
        let (known_calls, carrier) =
            (std::mem::take(&mut conversation.known_calls), conversation.carrier.take());
        let run = conversation.apply_to(run.tools(tools));
        let ui_stream = input.ui_stream.take();
        let ids = input.into_ids();
        let stream =
            NewStream { ids: ids.clone(), ui_stream, chat: binding.clone(), client, place };
        let admitted = AdmittedRun { run, ids, binding, known_calls, carrier, page_tools, agents };
        let drive = |endpoint: Arc<Self>, sender: FrameSender| async move {
            endpoint.drive(admitted, &sender).await
        };
        self.stream(stream, drive).await
    }

    /// Starts a turn of an agent that stores its threads.
    async fn admit_thread(
        self: &Arc<Self>,
        agent: &Arc<dyn ThreadAgent>,
        turn: ThreadTurn,
        mut input: RunInput,
        binding: Binding,
        page_tools: Vec<String>,
        (client, place): (String, FairPermit<String>),
    ) -> Result<Response, Rejection> {
        let loading = agent.load_thread(&turn.owner, &turn.thread);
        let state = tokio::time::timeout(LOAD_TIMEOUT, loading).await;
        let state = state.map_err(|_| E::Overdue(LOAD_TIMEOUT))?;
        let state = state.map_err(|error| self.gate.mask_error(error))?;
        let request = ThreadRequest::read(&mut input, state, &self.ledger, &binding, &page_tools)?;
        let ui_stream = input.ui_stream.take();
        let (agent, ids) = (Arc::clone(agent), input.into_ids());
        let stream =
            NewStream { ids: ids.clone(), ui_stream, chat: binding.clone(), client, place };
        let admitted = AdmittedThread { agent, request, turn, ids, binding, page_tools };
        let drive = |endpoint: Arc<Self>, sender: FrameSender| async move {
            endpoint.drive_thread(admitted, &sender).await
        };
        self.stream(stream, drive).await
    }
}
