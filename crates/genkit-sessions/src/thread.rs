//! Sessions as threads, for the crates that serve agents over other protocols.

use std::sync::Arc;
use std::sync::atomic::{AtomicBool, Ordering};

use serde_json::json;

use genkit_agent::internal::{
    ThreadAgent, ThreadChunk, ThreadEnd, ThreadRun, ThreadState, ThreadTurn,
};
use genkit_core::{BoxFuture, FinishReason, Result, Tool};

use crate::agent::Agent;
use crate::error::Error as E;
use crate::hand_over::Team;
use crate::run::{AgentRun, Caller, ThreadOptions};
use crate::types::{AgentChunk, AgentFinishReason, AgentInit, AgentInput};

#[doc(hidden)]
impl ThreadAgent for Agent {
    fn check_served(&self) -> Result<()> {
        match self.is_client_managed() {
            true => Err(E::NotServed(self.name().to_owned()).into()),
            false => Ok(()),
        }
    }

    fn known_tools(&self) -> Vec<Tool> {
        Team::new(self).known_tools()
    }

    fn load_thread<'a>(
        &'a self,
        owner: &'a str,
        thread: &'a str,
    ) -> BoxFuture<'a, Result<Option<ThreadState>>> {
        Box::pin(async move {
            let found = self.load_snapshot(&AgentInit::from_session(thread), owner).await?;
            Ok(found.map(|snapshot| ThreadState {
                is_running: !snapshot.status.is_over(),
                snapshot: snapshot.snapshot_id,
                messages: snapshot.state.messages,
                custom: snapshot.state.custom,
            }))
        })
    }

    fn begin_turn(&self, turn: ThreadTurn) -> Box<dyn ThreadRun> {
        let ThreadTurn { owner, action_context, exposes_errors, message, answers, client, .. } =
            turn;
        let caller = Caller { owner, client, action_context, exposes_errors, is_program: false };
        let input = match (message, answers.is_empty()) {
            (Some(message), true) => Ok(AgentInput::from_message(message)),
            (message, _) => {
                AgentInput::from_answers(answers).map(|input| AgentInput { message, ..input })
            }
        };
        let init = AgentInit::from_session(turn.thread);
        let run = input.map(|input| {
            let options = ThreadOptions {
                tools: turn.tools,
                after: turn.after,
                cancels_questions: turn.cancels_questions,
                kept: turn.kept,
            };
            AgentRun::new(self.clone(), init, vec![input], caller).in_thread(options)
        });
        let keeps_turn = run.as_ref().map(AgentRun::keeps_turn).unwrap_or_default();
        Box::new(SessionRun { run, keeps_turn })
    }
}

struct SessionRun {
    run: Result<AgentRun>,
    keeps_turn: Arc<AtomicBool>,
}

impl ThreadRun for SessionRun {
    fn next_chunk(&mut self) -> BoxFuture<'_, Option<ThreadChunk>> {
        Box::pin(async move {
            loop {
                return Some(match self.run.as_mut().ok()?.next().await? {
                    AgentChunk::ModelChunk(chunk) => ThreadChunk::Model(chunk),
                    AgentChunk::CustomPatch(patch) => ThreadChunk::CustomPatch(patch),
                    AgentChunk::Artifact(artifact) => ThreadChunk::Artifact(json!(artifact)),
                    AgentChunk::TurnEnd(_) => continue,
                });
            }
        })
    }

    fn into_end(self: Box<Self>) -> BoxFuture<'static, Result<ThreadEnd>> {
        Box::pin(async move {
            let output = self.run?.output().await?;
            Ok(ThreadEnd {
                snapshot: output.snapshot_id.unwrap_or_default(),
                message: output.message,
                finish_reason: match output.finish_reason {
                    AgentFinishReason::Interrupted => FinishReason::Interrupted,
                    AgentFinishReason::Aborted => FinishReason::Aborted,
                    _ => FinishReason::Stop,
                },
                error: output.error.map(|error| error.to_error()),
                usage: output.usage.unwrap_or_default(),
            })
        })
    }

    fn keep_turn(&self) {
        self.keeps_turn.store(true, Ordering::Release);
    }
}
