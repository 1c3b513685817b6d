//! The data of agents, with the JSON that Genkit's clients and tools use.

use serde::{Deserialize, Serialize};
use serde_json::Value;

use genkit_core::{
    Answer, Error, ErrorKind, FinishReason, GenerateChunk, Interrupt, Message, Part, Resume, Usage,
};

/// The starting point of a call: a snapshot, the newest snapshot of a session, or a state that the client keeps.
#[derive(Clone, Debug, Default, PartialEq, Serialize, Deserialize)]
#[serde(rename_all = "camelCase")]
#[non_exhaustive]
pub struct AgentInit {
    /// Id of the snapshot to continue from.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub snapshot_id: Option<String>,
    /// Id of the session, which is created if it does not exist. 1 to 512 bytes.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub session_id: Option<String>,
    /// State of the session, for an agent whose state the client keeps.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub state: Option<AgentState>,
}

impl AgentInit {
    /// Creates the starting point of a call that continues a session, or creates the session if it does not exist.
    pub fn from_session(id: impl Into<String>) -> Self {
        Self { session_id: Some(id.into()), ..Self::default() }
    }

    /// Creates the starting point of a call that continues from a snapshot.
    pub fn from_snapshot(id: impl Into<String>) -> Self {
        Self { snapshot_id: Some(id.into()), ..Self::default() }
    }

    /// Creates the starting point of a call that continues from a state that the client keeps.
    pub fn from_state(state: AgentState) -> Self {
        Self { state: Some(state), ..Self::default() }
    }
}

/// The input of a turn: a message, or answers to the questions of the last turn. An empty input runs a failed or
/// aborted turn again.
#[derive(Clone, Debug, Default, PartialEq, Serialize, Deserialize)]
#[serde(rename_all = "camelCase")]
#[non_exhaustive]
pub struct AgentInput {
    /// Message from the user.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub message: Option<Message>,
    /// Answers to interrupts.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub resume: Option<Resume>,
    /// Whether to return immediately and continue the turn in the background. Default is `false`.
    #[serde(default, skip_serializing_if = "std::ops::Not::not")]
    pub detach: bool,
}

impl AgentInput {
    /// Creates an input from a message.
    pub fn from_message(message: Message) -> Self {
        Self { message: Some(message), ..Self::default() }
    }

    /// Creates an input from answers to interrupts.
    ///
    /// # Errors
    /// Returns `InvalidArgument` if a value that was passed to an answer cannot be serialized.
    pub fn from_answers(answers: impl IntoIterator<Item = Answer>) -> Result<Self, Error> {
        let mut resume = Resume::default();
        for answer in answers {
            resume.push_answer(answer)?;
        }
        Ok(Self { resume: Some(resume), ..Self::default() })
    }

    /// Sets whether the turn runs in the background.
    #[must_use]
    pub fn detached(self, yes: bool) -> Self {
        Self { detach: yes, ..self }
    }
}

/// A document that an agent produces. An artifact replaces an earlier artifact with the same name.
#[derive(Clone, Debug, Default, PartialEq, Serialize, Deserialize)]
#[serde(rename_all = "camelCase")]
#[non_exhaustive]
pub struct Artifact {
    /// Name of the artifact.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub name: Option<String>,
    /// Content of the artifact.
    pub parts: Vec<Part>,
    /// Additional data about the artifact, defined by the agent.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub metadata: Option<Value>,
}

impl Artifact {
    /// Creates an artifact.
    pub fn new(name: impl Into<String>, parts: impl IntoIterator<Item = Part>) -> Self {
        Self { name: Some(name.into()), parts: parts.into_iter().collect(), metadata: None }
    }
}

/// The state of a session.
#[derive(Clone, Debug, Default, PartialEq, Serialize, Deserialize)]
#[serde(rename_all = "camelCase")]
#[non_exhaustive]
pub struct AgentState {
    /// Id of the session.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub session_id: Option<String>,
    /// The name of the agent that the conversation was handed over to. `None` means the agent of the session.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub agent: Option<String>,
    /// History of the conversation, without the instructions of the agent.
    #[serde(default)]
    pub messages: Vec<Message>,
    /// Custom state, defined by the agent. Null if the agent has none.
    #[serde(default, skip_serializing_if = "Value::is_null")]
    pub custom: Value,
    /// Artifacts, with unique names.
    #[serde(default)]
    pub artifacts: Vec<Artifact>,
    /// Seal of the server, for a state that the client keeps. Send it back with the state.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub seal: Option<String>,
}

impl AgentState {
    /// Adds an artifact, or replaces the artifact with the same name.
    pub(crate) fn put_artifact(&mut self, artifact: Artifact) {
        let same = |kept: &&mut Artifact| kept.name.is_some() && kept.name == artifact.name;
        match self.artifacts.iter_mut().find(same) {
            Some(kept) => *kept = artifact,
            None => self.artifacts.push(artifact),
        }
    }
}

/// The reason why a turn or a call ended.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "lowercase")]
#[non_exhaustive]
pub enum AgentFinishReason {
    /// The agent has responded.
    Stop,
    /// The response reached the output limit.
    Length,
    /// The response was blocked.
    Blocked,
    /// The turn waits for answers.
    Interrupted,
    /// The model stopped for another reason.
    Other,
    /// The model did not state a reason.
    Unknown,
    /// The turn was aborted.
    Aborted,
    /// The turn continues in the background.
    Detached,
    /// The turn has failed.
    Failed,
}

impl From<FinishReason> for AgentFinishReason {
    fn from(reason: FinishReason) -> Self {
        match reason {
            FinishReason::Stop => Self::Stop,
            FinishReason::Length => Self::Length,
            FinishReason::Blocked => Self::Blocked,
            FinishReason::Interrupted => Self::Interrupted,
            FinishReason::Aborted => Self::Aborted,
            FinishReason::Other => Self::Other,
            _ => Self::Unknown,
        }
    }
}

/// The error of a turn, as plain data.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
#[serde(rename_all = "camelCase")]
#[non_exhaustive]
pub struct AgentError {
    /// Canonical status, such as `NOT_FOUND`.
    pub status: String,
    /// The error message.
    pub message: String,
}

impl AgentError {
    pub(crate) fn from_error(error: Error, exposes_errors: bool) -> Self {
        use genkit_core::internal::{disclosure::for_callers, status::status_name};
        let is_ours = error.text_for_callers().is_some();
        let kind = if is_ours || exposes_errors { error.kind() } else { ErrorKind::Internal };
        let message = for_callers(error, "agent", exposes_errors).chain();
        Self { status: status_name(kind).to_owned(), message }
    }

    /// Converts the data into an error.
    pub fn to_error(&self) -> Error {
        let kind = genkit_core::internal::status::kind_from_name(&self.status);
        Error::new(kind.unwrap_or(ErrorKind::Unknown), self.message.clone())
    }
}

/// The result of a call to an agent.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
#[serde(rename_all = "camelCase")]
#[non_exhaustive]
pub struct AgentOutput {
    /// Id of the session.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub session_id: Option<String>,
    /// Id of the last snapshot, if the agent has a store.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub snapshot_id: Option<String>,
    /// State of the session, if the client keeps it.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub state: Option<AgentState>,
    /// Last message of the agent.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub message: Option<Message>,
    /// Artifacts of the session.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub artifacts: Vec<Artifact>,
    /// The reason why the call ended.
    pub finish_reason: AgentFinishReason,
    /// Error of the turn.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub error: Option<AgentError>,
    /// Usage of the model calls made by this call, including those of sub-agents. `None` if there were none.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub usage: Option<Usage>,
}

impl AgentOutput {
    pub(crate) fn failed(session_id: Option<String>, error: AgentError) -> Self {
        Self {
            session_id,
            snapshot_id: None,
            state: None,
            message: None,
            artifacts: Vec::new(),
            finish_reason: AgentFinishReason::Failed,
            error: Some(error),
            usage: None,
        }
    }

    /// Returns the text of the message.
    pub fn text(&self) -> String {
        self.message.as_ref().map(Message::text).unwrap_or_default()
    }

    /// Returns the open questions.
    pub fn interrupts(&self) -> Vec<Interrupt> {
        self.message.as_ref().map(Interrupt::find_all).unwrap_or_default()
    }

    /// Returns whether the turn waits for answers.
    pub fn is_interrupted(&self) -> bool {
        self.finish_reason == AgentFinishReason::Interrupted
    }

    /// Returns the output, or the error of a failed turn.
    ///
    /// # Errors
    /// Returns the error of the turn if it failed.
    pub fn into_result(self) -> Result<Self, Error> {
        match &self.error {
            Some(error) => Err(error.to_error()),
            None => Ok(self),
        }
    }
}

/// A chunk of a call to an agent, which reports progress before the output.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
#[serde(rename_all = "camelCase")]
#[non_exhaustive]
pub enum AgentChunk {
    /// A chunk from the model, or the results of tools.
    ModelChunk(GenerateChunk),
    /// A change of the custom state, as a JSON Patch (RFC 6902). The first change of a turn replaces the whole
    /// document.
    CustomPatch(Vec<Value>),
    /// An artifact that was added or replaced.
    Artifact(Artifact),
    /// The end of a turn.
    TurnEnd(TurnEnd),
}

/// The end of a turn.
#[derive(Clone, Debug, Default, PartialEq, Serialize, Deserialize)]
#[serde(rename_all = "camelCase")]
#[non_exhaustive]
pub struct TurnEnd {
    /// Id of the snapshot, if the agent has a store.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub snapshot_id: Option<String>,
    /// The reason why the turn ended.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub finish_reason: Option<AgentFinishReason>,
}

/// The status of a snapshot.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "lowercase")]
#[non_exhaustive]
pub enum SnapshotStatus {
    /// The turn runs in the background.
    Pending,
    /// An abort was requested, but the turn is still running.
    Aborting,
    /// The turn has ended without an error.
    Completed,
    /// The turn was aborted.
    Aborted,
    /// The turn has failed.
    Failed,
    /// The process ended before the turn did. This status is determined when the snapshot is read, and is never stored.
    Expired,
}

impl SnapshotStatus {
    /// Returns whether the turn has ended.
    pub fn is_over(self) -> bool {
        !matches!(self, Self::Pending | Self::Aborting)
    }
}

/// A snapshot: the state of a session at the end of a turn.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
#[serde(rename_all = "camelCase")]
#[non_exhaustive]
pub struct Snapshot {
    /// Id of the snapshot.
    pub snapshot_id: String,
    /// Id of the session.
    pub session_id: String,
    /// Id of the previous snapshot.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub parent_id: Option<String>,
    /// Start time of the turn, in ISO 8601.
    pub created_at: String,
    /// Time of the last change, in ISO 8601.
    pub updated_at: String,
    /// Status of the turn.
    pub status: SnapshotStatus,
    /// The reason why the turn ended.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub finish_reason: Option<AgentFinishReason>,
    /// Error of the turn.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub error: Option<AgentError>,
    /// State at the end of the turn.
    pub state: AgentState,
}
