//! The HTTP endpoint of all agents of a server.

use std::sync::Arc;
use std::sync::atomic::{AtomicBool, Ordering};
use std::time::Duration;

use axum::body::Bytes;
use axum::extract::Request;
use axum::http::{HeaderMap, Uri};
use axum::response::Response;
use serde::Deserialize;
use serde::de::DeserializeOwned;
use serde_json::{Value, json};
use tokio::sync::mpsc;
use tokio_util::sync::CancellationToken;

use genkit_core::internal::bounded_json::parse_bounded;
use genkit_flows::StreamEvent;
use genkit_flows::internal::{
    AdmittedRequest, FrameMemory, Gate, Rejection, check_user_message, encode_frame,
    frames_response,
};
use genkit_http_server::internal::{Drain, accepted_weight};

use super::builder::AgentServer;
use super::error::Error as E;
use super::state_seal::StateSeal;
use crate::actions::SnapshotLookup;
use crate::agent::Agent;
use crate::run::{AgentRun, Caller};
use crate::types::{AgentInit, AgentInput};

/// The number of unread frames after which a turn waits. Default is 16.
const FRAMES: usize = 16;

/// The time limit for a client to read a frame. Default is 30 seconds; after that, its turn is cancelled.
const READ_TIMEOUT: Duration = Duration::from_secs(30);

/// The state shared by all requests to a server.
pub(crate) struct AgentEndpoint {
    agents: Vec<Agent>,
    path: String,
    gate: Gate,
    seal: StateSeal,
}

/// The action that a request names.
#[derive(Clone, Copy)]
enum Action {
    Run,
    Snapshot,
    Abort,
    Wait,
}

/// The body of a request.
#[derive(Deserialize)]
struct Envelope {
    #[serde(default)]
    data: Value,
    #[serde(default)]
    init: Value,
}

impl AgentEndpoint {
    pub(crate) fn new(
        server: AgentServer,
        drain: Drain,
        end: CancellationToken,
    ) -> Result<Self, E> {
        let AgentServer { agents, path, gate, sealing_key, .. } = server;
        let seal = StateSeal::new(sealing_key.as_deref())?;
        for (at, agent) in agents.iter().enumerate() {
            if agents[..at].iter().any(|other| other.name() == agent.name()) {
                return Err(E::TwoAgents(agent.name().to_owned()));
            }
        }
        Ok(Self { agents, path, gate: Gate::new(gate, drain, end), seal })
    }

    /// Handles a request.
    pub(crate) async fn answer(self: &Arc<Self>, request: Request) -> Response {
        // Providers see the agent, also in a request for a snapshot.
        let name = split_action_path(self.action_path(request.uri())).0.to_owned();
        self.gate.answer(request, name, |admitted| self.serve(admitted)).await
    }

    async fn serve(self: &Arc<Self>, admitted: AdmittedRequest) -> Result<Response, Rejection> {
        let AdmittedRequest { parts, body, action_context, owner, client, place } = admitted;
        let action_context = action_context.unwrap_or_default();
        let exposes_errors = self.gate.exposes_errors;
        let caller = Caller {
            owner,
            client: client.clone(),
            action_context,
            exposes_errors,
            is_program: false,
        };
        let (agent, action) = self.find_action(&parts.uri).ok_or(E::PathNotFound)?;
        let envelope = read_envelope(&body.bytes)?;
        drop(body);
        match action {
            Action::Run => {
                let mut init: AgentInit = read_value(envelope.init)?.unwrap_or_default();
                let mut input: AgentInput = read_value(envelope.data)?.unwrap_or_default();
                let rejected = |why: &str| E::InvalidInput(why.to_owned());
                input.message.as_mut().map_or(Ok(()), check_user_message).map_err(rejected)?;
                if let Some(state) = init.state.take_if(|_| agent.is_client_managed()) {
                    init.state = self.seal.open_state(state, agent.name(), &caller.owner)?;
                }
                let keeper = (agent.name().to_owned(), caller.owner.clone());
                let run = AgentRun::new(agent, init, vec![input], caller).with_permit(place);
                if accepts_events(&parts.headers) || parts.uri.query() == Some("stream=true") {
                    return Ok(self.stream(run, keeper, client));
                }
                self.run_to_end(run, keeper, client).await
            }
            _ => self.look_up(&agent, action, read_value(envelope.data)?, &caller, client).await,
        }
    }

    /// Runs a turn whose client waits for its output. If the client disconnects, this future is dropped.
    async fn run_to_end(
        &self,
        run: AgentRun,
        (agent, owner): (String, String),
        client: String,
    ) -> Result<Response, Rejection> {
        let ended = self.wait_for_end(run.keeps_turn());
        tokio::select! {
            output = run.output() => {
                let output = output.map_err(|error| self.gate.mask_error(error))?;
                let output = self.seal.seal_output(output, &agent, &owner);
                self.gate.respond(client, &json!(output))
            }
            () = ended => Err(E::ShuttingDown.into()),
        }
    }

    /// Waits for the shutdown of the server, and marks the turn to be continued by another process.
    async fn wait_for_end(&self, keeps_turn: Arc<AtomicBool>) {
        self.gate.end.cancelled().await;
        keeps_turn.store(true, Ordering::Release);
    }

    async fn look_up(
        &self,
        agent: &Agent,
        action: Action,
        lookup: Option<SnapshotLookup>,
        caller: &Caller,
        client: String,
    ) -> Result<Response, Rejection> {
        let lookup = lookup.unwrap_or_default();
        let id = lookup.snapshot_id.clone().unwrap_or_default();
        let found = match action {
            Action::Abort => {
                let status = agent.abort_snapshot(&id, &caller.owner).await;
                status.map(|status| json!({ "snapshotId": id, "status": status }))
            }
            Action::Wait => {
                agent.wait_for(&id, lookup.wait_limit(), &caller.owner).await.map(|it| json!(it))
            }
            _ => agent.load_snapshot(&lookup.into_init(), &caller.owner).await.map(|it| json!(it)),
        };
        self.gate.respond(client, &found.map_err(|error| self.gate.mask_error(error))?)
    }

    /// Streams the chunks and the output of a turn. The turn is cancelled if the client disconnects.
    fn stream(
        self: &Arc<Self>,
        mut run: AgentRun,
        (agent, owner): (String, String),
        client: String,
    ) -> Response {
        let (sender, receiver) = mpsc::channel::<Bytes>(FRAMES);
        let memory = self.gate.frame_memory(client);
        let endpoint = Arc::clone(self);
        tokio::spawn(async move {
            let left = sender.clone();
            let ended = endpoint.wait_for_end(run.keeps_turn());
            let driven = async {
                while let Some(chunk) = run.next().await {
                    let event = StreamEvent::Chunk(json!(chunk));
                    let (encode_frame, is_counted) = counted_frame(&memory, &event);
                    if sender.send_timeout(encode_frame, READ_TIMEOUT).await.is_err() || !is_counted
                    {
                        return;
                    }
                }
                let last = match run.output().await {
                    Ok(output) => {
                        let output = endpoint.seal.seal_output(output, &agent, &owner);
                        StreamEvent::Result(json!(output))
                    }
                    Err(error) => StreamEvent::Error(endpoint.gate.mask_error(error).to_json()),
                };
                let last = counted_frame(&memory, &last).0;
                let _ = sender.send_timeout(last, READ_TIMEOUT).await;
            };
            tokio::select! {
                () = driven => {}
                () = ended => {
                    let ended = StreamEvent::Error(Rejection::from(E::ShuttingDown).to_json());
                    let _ = left.try_send(encode_frame(&ended));
                }
                // Dropping `run` cancels the turn.
                () = left.closed() => tracing::debug!("the client disconnected; cancelling the turn"),
            }
        });
        frames_response(receiver, ())
    }

    /// Returns the part of a path that names an agent and an action.
    fn action_path<'a>(&self, uri: &'a Uri) -> &'a str {
        let path = uri.path();
        // In a nested router, the path does not contain the prefix of the outer router.
        path.strip_prefix(&*self.path).unwrap_or(path).trim_start_matches('/')
    }

    fn find_action(&self, uri: &Uri) -> Option<(Agent, Action)> {
        let (name, action) = split_action_path(self.action_path(uri));
        let action = match action {
            "" => Action::Run,
            "getSnapshot" => Action::Snapshot,
            "abort" => Action::Abort,
            "wait" => Action::Wait,
            _ => return None,
        };
        let agent = self.agents.iter().find(|agent| agent.name() == name)?;
        Some((agent.clone(), action))
    }
}

/// Splits a path into the name of the agent and the action, which is empty for a turn.
fn split_action_path(path: &str) -> (&str, &str) {
    match path.split_once('/') {
        Some((name, "")) => (name, "/"),
        Some(parts) => parts,
        None => (path, ""),
    }
}

/// Builds a frame that counts as memory of the client, or the frame of an error.
fn counted_frame(memory: &FrameMemory, event: &StreamEvent) -> (Bytes, bool) {
    match memory.count_frame(encode_frame(event)) {
        Ok(frame) => (frame, true),
        Err(full) => (encode_frame(&StreamEvent::Error(full.to_json())), false),
    }
}

fn accepts_events(headers: &HeaderMap) -> bool {
    let (precision, weight) = accepted_weight(headers, "text/event-stream");
    weight > 0 && precision == 2
}

fn read_envelope(body: &[u8]) -> Result<Envelope, E> {
    let body = parse_bounded(body).map_err(|error| E::InvalidInput(error.to_string()))?;
    if !body.is_object() {
        return Err(E::InvalidInput("it is not an object".to_owned()));
    }
    serde_json::from_value(body).map_err(|error| E::InvalidInput(error.to_string()))
}

fn read_value<T: DeserializeOwned>(value: Value) -> Result<Option<T>, E> {
    serde_json::from_value(value).map_err(|error| E::InvalidInput(error.to_string()))
}
