//! Opening the session of a call.

use genkit_core::{Error, Result};

use crate::error::Error as E;
use crate::store::{SessionGuard, SessionKey};
use crate::types::{AgentInit, AgentInput, AgentState, SnapshotStatus};

use super::call::{Call, FinishedTurn};

/// A session that a call has opened.
pub(super) struct Open {
    pub(super) state: AgentState,
    /// The snapshot that `state` was loaded from.
    pub(super) parent: Option<String>,
    /// Whether an empty input may run the last turn again.
    pub(super) may_repeat: bool,
    pub(super) turnstile: Option<SessionGuard>,
}

/// An error while a session is opened.
pub(super) enum OpenError {
    /// The call fails.
    Rejected(Error),
    /// The call returns a failed output.
    Failed(Error),
}

impl From<E> for OpenError {
    fn from(error: E) -> Self {
        match error {
            E::StateGiven(_)
            | E::ClientManaged(_)
            | E::OtherSession(_)
            | E::SessionId
            | E::StateMismatch { .. } => Self::Rejected(error.into()),
            other => Self::Failed(other.into()),
        }
    }
}

impl From<Error> for OpenError {
    fn from(error: Error) -> Self {
        Self::Failed(error)
    }
}

impl Call {
    /// Opens the session that `init` names. If a crash interrupted its last turn, that turn is continued first. If
    /// `first` is the input of that turn, the input must not run twice, so the result of the continued turn is
    /// returned.
    pub(super) async fn open(
        &mut self,
        init: AgentInit,
        first: Option<&AgentInput>,
    ) -> Result<(Open, Option<FinishedTurn>), OpenError> {
        let parts = &*self.agent.0;
        if parts.sessions.is_none() {
            return Ok((self.open_state(init)?, None));
        }
        if init.state.is_some() {
            return Err(E::StateGiven(parts.name.clone()).into());
        }
        let mut turnstile = self.enter(&init).await?;
        if let Some((mut turn, saved)) = turnstile.find_begun().await? {
            turn.add_credentials(&self.caller.action_context);
            let is_same = first.is_none_or(|first| turn.is_repeated_by(&init, first));
            let mut open = self.open_at(turnstile, turn.parent.as_deref())?;
            let emitter = self.emitter.clone();
            if !is_same {
                self.emitter.0 = None;
            }
            let ended = self.run_turn(&mut open, &mut turn, Some(saved), is_same).await;
            self.emitter = emitter;
            let Some(left) = open.turnstile.take() else { return Err(E::Panicked.into()) };
            turnstile = left;
            if turnstile.is_given_up && !is_same {
                // The turn has not ended, so no other turn may start.
                let error = ended.2.map_or_else(|| E::TakenOver.into(), |error| error.to_error());
                turnstile.release().await;
                return Err(OpenError::Failed(error));
            }
            if is_same {
                open.turnstile = Some(turnstile);
                return Ok((open, Some(ended)));
            }
        }
        let record = &turnstile.record;
        let entry = match &init.snapshot_id {
            // If the turn of the snapshot has not ended, use its parent.
            Some(id) => {
                record.find(id).and_then(|entry| match (entry.status.is_over(), &entry.parent) {
                    (false, Some(parent)) => record.find(parent),
                    (is_over, _) => is_over.then_some(entry),
                })
            }
            None => record.newest_finished(),
        };
        let id = entry.map(|entry| entry.id.clone());
        let thread = &self.thread;
        if thread.after.is_some() && thread.after != id {
            return Err(E::Advanced.into());
        }
        let mut open = self.open_at(turnstile, id.as_deref())?;
        let Some(kept) = thread.kept else { return Ok((open, None)) };
        let Some(repeated) = open.state.messages.get(kept).cloned() else {
            return Ok((open, None));
        };
        // A compacted history can have fewer messages than the history of its parent.
        while open.state.messages.iter().skip(kept).any(|message| *message == repeated)
            && let Some(turnstile) = open.turnstile.take()
        {
            let entry = open.parent.as_deref().and_then(|id| turnstile.record.find(id));
            let parent = entry.and_then(|entry| entry.parent.clone());
            open = self.open_at(turnstile, parent.as_deref())?;
        }
        Ok((open, None))
    }

    /// Opens the state that the client keeps.
    fn open_state(&self, init: AgentInit) -> Result<Open, OpenError> {
        let parts = &*self.agent.0;
        if init.snapshot_id.is_some() || init.session_id.is_some() {
            return Err(E::ClientManaged(parts.name.clone()).into());
        }
        let mut state = init.state.unwrap_or_else(|| AgentState {
            custom: parts.custom.clone(),
            ..AgentState::default()
        });
        state.seal = None;
        if state.custom.is_null() && self.agent.check_custom(&state.custom).is_err() {
            state.custom = parts.custom.clone();
        }
        self.agent.check_custom(&state.custom)?;
        state.session_id.get_or_insert_with(new_id);
        Ok(Open { state, parent: None, may_repeat: true, turnstile: None })
    }

    /// Takes the session that `init` names.
    async fn enter(&self, init: &AgentInit) -> Result<SessionGuard, OpenError> {
        let (parts, owner) = (&*self.agent.0, &*self.caller.owner);
        let sessions = self.agent.sessions()?;
        let (key, session) = match (&init.snapshot_id, &init.session_id) {
            (Some(id), given) => {
                let unknown = || E::NoSnapshot(id.clone());
                let key = SessionKey::from_snapshot(id, owner).ok_or_else(unknown)?;
                let record = sessions.load(&key.run, owner).await?.ok_or_else(unknown)?;
                let entry = record.find(id).ok_or_else(unknown)?;
                if given.as_ref().is_some_and(|given| *given != record.session) {
                    return Err(E::OtherSession(id.clone()).into());
                }
                if !entry.status.is_over() && !sessions.is_idle(&key, owner).await? {
                    return Err(E::Running(id.clone()).into());
                }
                (key, record.session)
            }
            (None, given) => {
                let session = given.clone().unwrap_or_else(new_id);
                (SessionKey::new(&parts.name, owner, &session)?, session)
            }
        };
        Ok(sessions.enter(key, &session, &self.caller, parts.queue_timeout).await?)
    }

    /// Opens a session at a snapshot, or with its initial state.
    fn open_at(&self, turnstile: SessionGuard, id: Option<&str>) -> Result<Open, OpenError> {
        let record = &turnstile.record;
        let (state, may_repeat) = match id {
            Some(id) => {
                let entry = record.find(id).ok_or_else(|| E::NoSnapshot(id.to_owned()))?;
                let is_lost =
                    matches!(entry.status, SnapshotStatus::Failed | SnapshotStatus::Aborted);
                (record.rebuild_state(entry)?, is_lost)
            }
            None => {
                let (session_id, custom) =
                    (Some(record.session.clone()), self.agent.0.custom.clone());
                (AgentState { session_id, custom, ..AgentState::default() }, false)
            }
        };
        Ok(Open { state, parent: id.map(str::to_owned), may_repeat, turnstile: Some(turnstile) })
    }
}

fn new_id() -> String {
    uuid::Uuid::new_v4().to_string()
}
