//! Agents as actions of a registry, which Genkit's developer tools list and run.

use std::sync::Arc;
use std::time::Duration;

use serde::Deserialize;
use serde::de::DeserializeOwned;
use serde_json::{Value, json};

use genkit_core::internal::action::CustomAction;
use genkit_core::{Action, Context, Flow, IntoActions, Invocation, Result};

use crate::agent::Agent;
use crate::error::Error as E;
use crate::run::{AgentRun, Caller};
use crate::types::{AgentInit, AgentInput};

/// The maximum time that a request waits for a snapshot. Default is 60 seconds.
const MAX_WAIT: Duration = Duration::from_secs(60);

/// One of the actions of an agent.
#[derive(Clone)]
struct AgentAction {
    agent: Agent,
    kind: Kind,
    /// The flow of the action, which has the name under which the agent is registered.
    flow: Flow,
}

#[derive(Clone, Copy, PartialEq)]
enum Kind {
    Run,
    Snapshot,
    Abort,
    Wait,
}

impl IntoActions for Agent {
    fn into_actions(self) -> Vec<Action> {
        // Client-managed agents have no store, and therefore no snapshots.
        let kinds: &[Kind] = match self.is_client_managed() {
            true => &[Kind::Run],
            false => &[Kind::Run, Kind::Snapshot, Kind::Abort, Kind::Wait],
        };
        let action = |kind: &Kind| Action::Custom(Arc::new(AgentAction::new(&self, *kind)));
        kinds.iter().map(action).collect()
    }
}

/// A request about a snapshot: to load it, to abort its turn, or to wait for the end of its turn.
#[derive(Default, Deserialize)]
#[serde(rename_all = "camelCase", default)]
pub(crate) struct SnapshotLookup {
    pub(crate) snapshot_id: Option<String>,
    session_id: Option<String>,
    timeout_ms: Option<u64>,
}

impl SnapshotLookup {
    pub(crate) fn wait_limit(&self) -> Duration {
        self.timeout_ms.map_or(MAX_WAIT, Duration::from_millis).min(MAX_WAIT)
    }

    pub(crate) fn into_init(self) -> AgentInit {
        AgentInit { snapshot_id: self.snapshot_id, session_id: self.session_id, state: None }
    }
}

impl AgentAction {
    fn new(agent: &Agent, kind: Kind) -> Self {
        let (name, about) = (agent.name().to_owned(), agent.description().to_owned());
        let run = agent.clone();
        let flow = Flow::from_fn(name, about, move |context, request| {
            let agent = run.clone();
            Box::pin(async move { run_action(&agent, kind, &context, request).await })
        });
        Self { agent: agent.clone(), kind, flow }
    }
}

async fn run_action(agent: &Agent, kind: Kind, context: &Context, request: Value) -> Result<Value> {
    /// A turn in the form that the developer tools send. Without `data`, the request is the input of the turn.
    #[derive(Deserialize)]
    struct Turn {
        data: Value,
        #[serde(default)]
        init: Value,
    }
    let owner = "";
    let output = match kind {
        Kind::Run => {
            let turn = match request.get("data") {
                Some(_) => read::<Turn>(request)?,
                None => Turn { data: request, init: Value::Null },
            };
            let input = read::<Option<AgentInput>>(turn.data)?.unwrap_or_default();
            let init = read::<Option<AgentInit>>(turn.init)?.unwrap_or_default();
            let action_context = context.action_context().clone();
            // The clients of the developer tools choose the ids of sessions, so the program is not the caller.
            let caller = Caller { action_context, is_program: false, ..Caller::program() };
            let mut run = AgentRun::new(agent.clone(), init, vec![input], caller);
            while let Some(chunk) = run.next().await {
                context.caller().send_chunk(json!(chunk)).await;
            }
            json!(run.output().await?)
        }
        Kind::Snapshot => {
            json!(agent.load_snapshot(&read::<AgentInit>(request)?, owner).await?)
        }
        Kind::Abort => {
            let id = read::<AgentInit>(request)?.snapshot_id.unwrap_or_default();
            json!({ "status": agent.abort_snapshot(&id, owner).await?, "snapshotId": id })
        }
        Kind::Wait => {
            let lookup = read::<SnapshotLookup>(request)?;
            let (id, limit) = (lookup.snapshot_id.clone(), lookup.wait_limit());
            json!(agent.wait_for(&id.unwrap_or_default(), limit, owner).await?)
        }
    };
    Ok(output)
}

fn read<T: DeserializeOwned>(value: Value) -> Result<T> {
    Ok(serde_json::from_value(value).map_err(|error| E::Request(error.to_string()))?)
}

impl CustomAction for AgentAction {
    fn kind(&self) -> &'static str {
        match self.kind {
            Kind::Run => "agent",
            Kind::Snapshot => "agent-snapshot",
            Kind::Abort => "agent-abort",
            Kind::Wait => "agent-wait",
        }
    }

    fn flow(&self) -> &Flow {
        &self.flow
    }

    fn with_flow(&self, flow: Flow) -> Arc<dyn CustomAction> {
        Arc::new(Self { flow, ..self.clone() })
    }

    fn to_listing(&self) -> Value {
        let text = json!({ "type": "string" });
        let object = json!({ "type": "object" });
        let input = match self.kind {
            Kind::Run => json!({
                "type": "object",
                "properties": { "message": object, "resume": object, "detach": { "type": "boolean" } },
            }),
            Kind::Wait => json!({
                "type": "object",
                "properties": { "snapshotId": text, "timeoutMs": { "type": "integer" } },
                "required": ["snapshotId"],
            }),
            _ => {
                json!({ "type": "object", "properties": { "snapshotId": text, "sessionId": text } })
            }
        };
        let managed = if self.agent.is_client_managed() { "client" } else { "server" };
        let mut shown = json!({ "stateManagement": managed, "abortable": managed == "server" });
        if let Some(of) = &self.agent.0.state_type {
            shown["stateSchema"] = of.schema.clone();
        }
        json!({
            "inputSchema": input,
            "outputSchema": object,
            "metadata": { "type": self.kind(), "agent": shown },
        })
    }

    fn run(&self, request: Value) -> Invocation<Value> {
        let (agent, kind) = (self.agent.clone(), self.kind);
        Invocation::new(self.flow.name(), async move |context| {
            run_action(&agent, kind, &context, request).await
        })
    }
}
