//! Agents: their calls, snapshots and background turns.

use std::sync::Arc;
use std::time::Duration;

use serde_json::Value;

use futures_util::StreamExt as _;
use genkit_agent::Generate;
use genkit_core::internal::visible::Logged;
use genkit_core::{BoxFuture, Message, Result, Tool};

use crate::builder::AgentBuilder;
use crate::custom_state::StateType;
use crate::error::Error as E;
use crate::run::{AgentRun, Caller};
use crate::session::AgentSession;
use crate::store::{SessionKey, Sessions};
use crate::turn::AgentTurn;
use crate::types::{AgentInit, AgentInput, Snapshot, SnapshotStatus};

/// The polling interval of an awaited snapshot. Default is 50 milliseconds at first, then 1 second.
const POLL: (Duration, Duration) = (Duration::from_millis(50), Duration::from_secs(1));

/// The maximum number of turns that are resumed in parallel when a program starts. Default is 16.
const RESUMED: usize = 16;

pub(crate) type Handler =
    Arc<dyn Fn(AgentTurn) -> BoxFuture<'static, Result<Message>> + Send + Sync>;

pub(crate) enum Kind {
    Model(Box<Generate>),
    Handler(Handler),
}

pub(crate) struct AgentParts {
    pub(crate) name: String,
    pub(crate) description: String,
    pub(crate) kind: Kind,
    pub(crate) sessions: Option<Arc<Sessions>>,
    pub(crate) custom: Value,
    pub(crate) state_type: Option<StateType>,
    pub(crate) hand_overs: Vec<Agent>,
    pub(crate) background: Vec<Agent>,
    pub(crate) searches_conversations: bool,
    pub(crate) timeout: Duration,
    pub(crate) queue_timeout: Duration,
}

/// An agent: a model with instructions and tools, or a function, together with its sessions. Clones share the sessions.
///
/// ```
/// use genkit::sessions::Agent;
/// use genkit::testing::ScriptedModel;
///
/// # #[tokio::main(flavor = "current_thread")]
/// # async fn main() -> genkit::Result<()> {
/// let agent = Agent::builder("guide")
///     .instructions("You plan trips.")
///     .model(ScriptedModel::texts(["How long?", "Two days in Oslo, then."]))
///     .build()?;
/// let session = agent.session("user-7");
/// session.send("I want to see Oslo.").await?;
/// let output = session.send("Two days.").await?;
/// assert_eq!(output.text(), "Two days in Oslo, then.");
/// assert_eq!(session.messages().await?.len(), 4);
/// # Ok(())
/// # }
/// ```
///
/// [`Registry::add`](genkit_core::Registry::add) registers an agent, so that Genkit's Developer UI lists and runs it.
///
/// Sessions are kept in memory, unless [`store`](AgentBuilder::store) sets another store.
#[derive(Clone)]
pub struct Agent(pub(crate) Arc<AgentParts>);

impl Agent {
    /// Creates a builder of an agent with this name: 1 to 64 letters, digits, `_` and `-`.
    pub fn builder(name: impl Into<String>) -> AgentBuilder {
        AgentBuilder::new(name.into())
    }

    /// Returns the name of the agent.
    pub fn name(&self) -> &str {
        &self.0.name
    }

    /// Returns the description of the agent, or an empty string if it has none.
    pub fn description(&self) -> &str {
        &self.0.description
    }

    /// Returns whether the clients keep the state and the agent stores no sessions: see
    /// [`AgentBuilder::client_managed`](crate::AgentBuilder::client_managed).
    pub fn is_client_managed(&self) -> bool {
        self.0.sessions.is_none()
    }

    /// Returns the session with this id. It is created by its first turn.
    pub fn session(&self, id: impl Into<String>) -> AgentSession {
        AgentSession::new(self.clone(), AgentInit::from_session(id))
    }

    /// Calls the agent as a client of Genkit's protocol does: each input is a turn. The call starts when it is awaited
    /// or its chunks are read, and is cancelled when it is dropped, unless it runs in the background.
    ///
    /// If a turn fails, the call returns an output with [`error`](crate::AgentOutput::error), and later inputs do not
    /// run.
    ///
    /// # Errors
    /// Awaiting the call fails with `FailedPrecondition` if this kind of agent does not accept such an `init`, and with
    /// `InvalidArgument` if `init` has invalid values or a snapshot of another session, or for more than 100 inputs.
    pub fn run(&self, init: AgentInit, inputs: impl IntoIterator<Item = AgentInput>) -> AgentRun {
        AgentRun::new(self.clone(), init, inputs.into_iter().collect(), Caller::program())
    }

    /// Loads a snapshot. Returns `None` if it does not exist.
    ///
    /// # Errors
    /// Returns `FailedPrecondition` if the agent is client-managed, and any error from the store.
    pub async fn snapshot(&self, id: &str) -> Result<Option<Snapshot>> {
        self.load_snapshot(&AgentInit::from_snapshot(id), "").await
    }

    /// Waits up to `limit` for the turn of a snapshot to end, and returns the current snapshot.
    ///
    /// # Errors
    /// Returns `NotFound` if the snapshot does not exist, and the errors of [`snapshot`](Self::snapshot).
    pub async fn wait_for_snapshot(&self, id: &str, limit: Duration) -> Result<Snapshot> {
        self.wait_for(id, limit, "").await
    }

    /// Resumes, in the background, the turns whose processes have ended. Returns the number of sessions with an
    /// unfinished turn, including turns that another process is running, which are not resumed. Call this method when
    /// the program starts; otherwise, such a turn is resumed by the next call of its session.
    ///
    /// # Errors
    /// Returns `FailedPrecondition` if the agent is client-managed, and any error from the store.
    pub async fn resume_turns(&self) -> Result<usize> {
        let begun = self.sessions()?.unfinished_turns().await?;
        let (found, agent) = (begun.len(), self.clone());
        tokio::spawn(futures_util::stream::iter(begun).for_each_concurrent(
            RESUMED,
            move |(owner, session)| {
                let caller = Caller { owner, ..Caller::default() };
                let init = AgentInit::from_session(session);
                let run = AgentRun::new(agent.clone(), init, Vec::new(), caller);
                async move {
                    if let Err(error) = run.output().await {
                        let error = Logged::text(error.chain());
                        tracing::warn!(%error, "failed to resume a turn");
                    }
                }
            },
        ));
        Ok(found)
    }

    /// Aborts a background turn, by the id of its snapshot. Returns the status afterwards: `aborted`, `aborting` if
    /// another process must end the turn first, or the previous status if the turn had already ended or has not ended
    /// in time. Returns `None` if the snapshot does not exist.
    ///
    /// # Errors
    /// Returns `FailedPrecondition` if the agent is client-managed, and any error from the store.
    pub async fn abort(&self, snapshot_id: &str) -> Result<Option<SnapshotStatus>> {
        self.abort_snapshot(snapshot_id, "").await
    }

    /// Checks a custom state that is passed to the agent.
    pub(crate) fn check_custom(&self, custom: &Value) -> Result<(), E> {
        self.0.state_type.as_ref().map_or(Ok(()), |of| of.check(&self.0.name, custom))
    }

    pub(crate) fn is_same(&self, other: &Self) -> bool {
        Arc::ptr_eq(&self.0, &other.0)
    }

    pub(crate) async fn abort_snapshot(
        &self,
        id: &str,
        owner: &str,
    ) -> Result<Option<SnapshotStatus>> {
        Ok(self.sessions()?.abort(id, owner).await?.map(|(_, after)| after))
    }

    pub(crate) fn sessions(&self) -> Result<&Arc<Sessions>, E> {
        self.0.sessions.as_ref().ok_or_else(|| E::ClientManaged(self.0.name.clone()))
    }

    /// Loads the snapshot that `lookup` names, or the newest of its session.
    pub(crate) async fn load_snapshot(
        &self,
        lookup: &AgentInit,
        owner: &str,
    ) -> Result<Option<Snapshot>> {
        let sessions = self.sessions()?;
        let key = match (&lookup.snapshot_id, &lookup.session_id) {
            (Some(id), _) => SessionKey::from_snapshot(id, owner),
            (None, Some(session)) => Some(SessionKey::new(&self.0.name, owner, session)?),
            (None, None) => return Err(E::SessionId.into()),
        };
        let Some(key) = key else { return Ok(None) };
        let Some(record) = sessions.load(&key.run, owner).await? else { return Ok(None) };
        let entry = match &lookup.snapshot_id {
            Some(id) => record.find(id),
            None => record.newest(),
        };
        let Some(entry) = entry else { return Ok(None) };
        let mut snapshot = record.build_snapshot(entry)?;
        if !snapshot.status.is_over()
            && !genkit_core::internal::sync::lock(&sessions.workers).contains_key(&entry.id)
            && sessions.is_idle(&key, owner).await?
        {
            // The turn may have ended after the session was loaded.
            let again = sessions.load(&key.run, owner).await?;
            match again.as_ref().and_then(|record| record.find(&entry.id)) {
                Some(entry) if entry.status.is_over() => {
                    snapshot =
                        again.as_ref().map_or(Ok(snapshot), |it| it.build_snapshot(entry))?;
                }
                _ => snapshot.status = SnapshotStatus::Expired,
            }
        }
        Ok(Some(snapshot))
    }

    pub(crate) async fn wait_for(
        &self,
        id: &str,
        limit: Duration,
        owner: &str,
    ) -> Result<Snapshot> {
        let deadline = tokio::time::Instant::now() + limit;
        let (mut pause, mut is_continued) = (POLL.0, false);
        loop {
            let snapshot = self.load_snapshot(&AgentInit::from_snapshot(id), owner).await?;
            let snapshot = snapshot.ok_or_else(|| E::NoSnapshot(id.to_owned()))?;
            let is_lost = snapshot.status == SnapshotStatus::Expired;
            if is_lost && !std::mem::replace(&mut is_continued, true) {
                // The process of the turn has ended, so this process continues the turn.
                let caller = Caller { owner: owner.to_owned(), ..Caller::default() };
                let init = AgentInit::from_session(&*snapshot.session_id);
                let continued = AgentRun::new(self.clone(), init, Vec::new(), caller).output();
                let _ = tokio::time::timeout_at(deadline, tokio::spawn(continued)).await;
                continue;
            }
            if snapshot.status.is_over() || tokio::time::Instant::now() >= deadline {
                return Ok(snapshot);
            }
            let worker =
                genkit_core::internal::sync::lock(&self.sessions()?.workers).get(id).cloned();
            let wake = (tokio::time::Instant::now() + pause).min(deadline);
            match worker {
                Some(worker) => {
                    let _ = tokio::time::timeout_at(deadline, worker.ended.cancelled()).await;
                }
                None => tokio::time::sleep_until(wake).await,
            }
            pause = (pause * 2).min(POLL.1);
        }
    }

    /// Converts the agent into a tool for another agent: each call is a new conversation with a task. Questions of the
    /// agent's tools are forwarded to the caller, and the answers are returned to these tools.
    ///
    /// # Errors
    /// Returns `InvalidArgument` if the agent has a handler.
    pub fn into_tool(self) -> Result<Tool> {
        match &self.0.kind {
            Kind::Model(template) => {
                Ok(template.as_ref().clone().into_tool(&*self.0.name, &*self.0.description))
            }
            Kind::Handler(_) => Err(E::HandlerAsTool(self.0.name.clone()).into()),
        }
    }
}

impl std::fmt::Debug for Agent {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        f.debug_struct("Agent").field("name", &self.0.name).finish_non_exhaustive()
    }
}
