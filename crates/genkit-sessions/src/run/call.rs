//! The turns of a call.

use std::panic::AssertUnwindSafe;
use std::sync::Arc;
use std::sync::atomic::AtomicBool;

use futures_util::FutureExt as _;
use tokio::sync::oneshot;
use tokio_util::sync::{CancellationToken, DropGuard};

use genkit_core::internal::run_store::now_ms;
use genkit_core::internal::sync::lock;
use genkit_core::{ErrorKind, Message, Result, Usage};

use crate::agent::Agent;
use crate::error::Error as E;
use crate::journal::{SavedResults, StartedTurn};
use crate::store::{Entry, SessionGuard, Sessions, Worker};
use crate::turn::{Emitter, TurnResult, check_input};
use crate::types::{
    AgentChunk, AgentError, AgentFinishReason, AgentInit, AgentInput, AgentOutput, AgentState,
    SnapshotStatus, TurnEnd,
};

use super::open::{Open, OpenError};
use super::{Caller, ThreadOptions};

/// The maximum number of inputs of a call. Default is 100.
const MAX_INPUTS: usize = 100;

pub(super) struct Call {
    pub(super) agent: Agent,
    pub(super) init: AgentInit,
    pub(super) inputs: Vec<AgentInput>,
    pub(super) caller: Caller,
    pub(super) emitter: Emitter,
    pub(super) output: Option<oneshot::Sender<Result<AgentOutput>>>,
    /// Held until the turn ends, even if it continues in the background.
    pub(super) permit: Option<Box<dyn Send + Sync>>,
    /// Set if another process must continue the turn when this call is dropped.
    pub(super) keeps_turn: Arc<AtomicBool>,
    pub(super) usage: Usage,
    pub(super) thread: ThreadOptions,
}

/// The end of a turn: the message, the reason and the error.
pub(super) type FinishedTurn = (Option<Message>, AgentFinishReason, Option<AgentError>);

/// The entry of a turn in the table of workers, which is removed on drop.
struct WorkerEntry {
    sessions: Arc<Sessions>,
    id: String,
    _ended: DropGuard,
}

impl WorkerEntry {
    fn new(sessions: &Arc<Sessions>, id: &str, owner: &str, cancel: CancellationToken) -> Self {
        let ended = CancellationToken::new();
        let worker = Worker { cancel, owner: owner.to_owned(), ended: ended.clone() };
        lock(&sessions.workers).insert(id.to_owned(), worker);
        Self { sessions: Arc::clone(sessions), id: id.to_owned(), _ended: ended.drop_guard() }
    }
}

impl Drop for WorkerEntry {
    fn drop(&mut self) {
        lock(&self.sessions.workers).remove(&self.id);
    }
}

impl Call {
    pub(super) async fn drive(mut self) {
        let driven = AssertUnwindSafe(self.run_turns()).catch_unwind().await;
        let output = driven.unwrap_or_else(|_| Err(E::Panicked.into()));
        if let Some(tell) = self.output.take() {
            let _ = tell.send(output);
        }
        drop(self.permit);
    }

    async fn run_turns(&mut self) -> Result<AgentOutput> {
        let inputs = std::mem::take(&mut self.inputs);
        if inputs.len() > MAX_INPUTS {
            return Err(E::ManyInputs { found: inputs.len(), limit: MAX_INPUTS }.into());
        }
        let init = std::mem::take(&mut self.init);
        let session_id = init.session_id.clone();
        let (mut open, continued) = match self.open(init, inputs.first()).await {
            Ok(opened) => opened,
            Err(OpenError::Rejected(error)) => return Err(error),
            Err(OpenError::Failed(error)) => {
                let error = AgentError::from_error(error, self.caller.exposes_errors);
                return Ok(AgentOutput::failed(session_id, error));
            }
        };
        let mut inputs = inputs.into_iter();
        if continued.is_some() {
            inputs.next();
        }
        let (mut message, mut finish, mut error) =
            continued.unwrap_or((None, AgentFinishReason::Stop, None));
        for input in inputs {
            if error.is_some() || finish == AgentFinishReason::Aborted {
                break;
            }
            let mut turn = self.begin_turn(&open, input);
            (message, finish, error) = self.run_turn(&mut open, &mut turn, None, true).await;
        }
        let output = self.output_of(&open, message, finish, error);
        if let Some(turnstile) = open.turnstile {
            turnstile.release().await;
        }
        Ok(output)
    }

    fn output_of(
        &self,
        open: &Open,
        message: Option<Message>,
        finish_reason: AgentFinishReason,
        error: Option<AgentError>,
    ) -> AgentOutput {
        let is_stored = open.turnstile.is_some();
        AgentOutput {
            session_id: open.state.session_id.clone(),
            snapshot_id: open.parent.clone().filter(|_| is_stored),
            state: (!is_stored).then(|| open.state.clone()),
            message,
            artifacts: open.state.artifacts.clone(),
            finish_reason,
            error,
            usage: Some(self.usage.clone()).filter(|usage| *usage != Usage::default()),
        }
    }

    fn begin_turn(&self, open: &Open, input: AgentInput) -> StartedTurn {
        StartedTurn {
            id: open.turnstile.as_ref().map(SessionGuard::new_snapshot).unwrap_or_default(),
            parent: open.parent.clone(),
            created: now_ms(),
            owner: self.caller.owner.clone(),
            input,
            action_context: self.caller.action_context.clone(),
            is_program: self.caller.is_program,
            lives: 0,
        }
    }

    fn refuse(&self, error: impl Into<genkit_core::Error>) -> FinishedTurn {
        let error = AgentError::from_error(error.into(), self.caller.exposes_errors);
        (None, AgentFinishReason::Failed, Some(error))
    }

    /// Runs a turn, or continues it from its saved results. `is_own` is `false` for a turn of an earlier call.
    pub(super) async fn run_turn(
        &mut self,
        open: &mut Open,
        turn: &mut StartedTurn,
        saved: Option<SavedResults>,
        is_own: bool,
    ) -> FinishedTurn {
        let (detach, is_begun) = (turn.input.detach, saved.is_some());
        let is_stored = open.turnstile.is_some();
        let checked = match detach && !is_stored {
            true => Err(E::CannotDetach),
            false => check_input(
                &turn.input,
                &open.state,
                open.may_repeat,
                self.thread.cancels_questions,
            ),
        };
        if let (Err(error), false) = (checked, is_begun) {
            return self.refuse(error);
        }
        let is_hopeless = turn.has_too_many_crashes();
        let journal = match &mut open.turnstile {
            Some(turnstile) => turnstile.keep_turn(turn, is_begun, &self.keeps_turn).await,
            None => Ok(None),
        };
        let journal = match journal {
            Ok(journal) => journal,
            Err(error) => return self.refuse(error),
        };
        let cancel = CancellationToken::new();
        let mut listed = None;
        if let (true, Some(turnstile)) = (detach, &mut open.turnstile) {
            listed = Some(WorkerEntry::new(
                &turnstile.sessions(),
                &turn.id,
                self.caller.share_key(),
                cancel.clone(),
            ));
            if turnstile.record.find(&turn.id).is_none() {
                let mut state = open.state.clone();
                state.messages.extend(turn.input.message.clone());
                let pending = create_entry(turn, SnapshotStatus::Pending, &open.state, &state);
                if let Err(error) = turnstile.save(pending).await {
                    turnstile.end_turn().await;
                    return self.refuse(error);
                }
            }
            if is_own {
                let mut output = self.output_of(open, None, AgentFinishReason::Detached, None);
                output.snapshot_id = Some(turn.id.clone());
                self.emitter = Emitter(None);
                if let Some(tell) = self.output.take() {
                    let _ = tell.send(Ok(output));
                }
            }
        }
        let message = turn.input.message.clone().filter(|_| detach);
        let mut result = match is_hopeless {
            true => TurnResult::failed(open.state.clone(), E::Hopeless(turn.lives)),
            false => self.perform(open, turn, &cancel, journal, saved.unwrap_or_default()).await,
        };
        if matches!(result.error, Some((_, false))) {
            // The snapshot of the failed turn contains its message, so that the turn can run again.
            result.state.messages.extend(message);
        }
        if is_own {
            self.usage.add(&result.usage);
        }
        let ended = self.end_turn(open, turn, result).await;
        drop(listed);
        ended
    }

    /// Saves the end of a turn and notifies the client.
    async fn end_turn(
        &self,
        open: &mut Open,
        turn: &StartedTurn,
        result: TurnResult,
    ) -> FinishedTurn {
        let TurnResult { state, message, finish, error, usage: _ } = result;
        let is_taken = error.as_ref().is_some_and(|(error, _)| error.kind() == ErrorKind::Aborted);
        let (error, has_rounds) = match error {
            Some((error, has)) => {
                (Some(AgentError::from_error(error, self.caller.exposes_errors)), has)
            }
            None => (None, false),
        };
        let status = match finish {
            AgentFinishReason::Failed => SnapshotStatus::Failed,
            AgentFinishReason::Aborted => SnapshotStatus::Aborted,
            _ => SnapshotStatus::Completed,
        };
        // A turn that failed before its first result creates no snapshot, unless the client already has its id.
        let leaves_snapshot = turn.input.detach || has_rounds || error.is_none();
        if let Some(turnstile) = &mut open.turnstile {
            if is_taken && turnstile.is_lost().await {
                turnstile.abandon_turn();
                return (None, finish, error);
            }
            if leaves_snapshot {
                let mut entry = create_entry(turn, status, &open.state, &state);
                (entry.finish, entry.error) = (Some(finish), error.clone());
                if let Err(error) = turnstile.save(entry).await {
                    // A result that was not saved must not be acknowledged.
                    let is_full = error.kind() == ErrorKind::ResourceExhausted;
                    let refused = self.refuse(error);
                    if !is_full {
                        turnstile.abandon_turn();
                    } else if turn.input.detach {
                        // The client knows the snapshot, so its end must be stored, but without the data that is too
                        // large.
                        let mut entry =
                            create_entry(turn, SnapshotStatus::Failed, &open.state, &open.state);
                        (entry.finish, entry.error) = (Some(refused.1), refused.2.clone());
                        if turnstile.save(entry).await.is_ok() {
                            open.parent = Some(turn.id.clone());
                        }
                    }
                    return refused;
                }
                open.parent = Some(turn.id.clone());
            }
            turnstile.end_turn().await;
        }
        open.may_repeat = status != SnapshotStatus::Completed;
        open.state = state;
        let snapshot_id = open.parent.clone().filter(|_| open.turnstile.is_some());
        let end = TurnEnd { snapshot_id, finish_reason: Some(finish) };
        self.emitter.send(AgentChunk::TurnEnd(end)).await;
        (message, finish, error)
    }
}

/// Creates the stored form of a snapshot: its differences from its parent.
fn create_entry(
    turn: &StartedTurn,
    status: SnapshotStatus,
    before: &AgentState,
    after: &AgentState,
) -> Entry {
    let same =
        before.messages.iter().zip(&after.messages).take_while(|(old, new)| old == new).count();
    Entry {
        id: turn.id.clone(),
        parent: turn.parent.clone(),
        created: turn.created,
        updated: now_ms(),
        status,
        finish: None,
        error: None,
        kept: same,
        messages: after.messages[same..].to_vec(),
        agent: after.agent.clone(),
        custom: after.custom.clone(),
        artifacts: after.artifacts.clone(),
    }
}
