//! The workflow `genkit.Run`, one for each run. It stores the state, and passes events and steps to activities.
//!
//! The workflow does not interpret the state: a local activity determines the next steps, and its result is part of the
//! history. Replaying a history therefore yields the same commands with every version of the program.

use std::collections::{BTreeMap, VecDeque};

use genkit::durable::RunStatus;
use genkit::durable::engine::EngineAnswers;
use serde_json::Value;
use temporalio_common::error::ApplicationFailure;
use temporalio_common::search_attributes::SearchAttributeKey;
use temporalio_macros::{workflow, workflow_methods};
use temporalio_sdk::{
    ContinueAsNewOptions, MemoValue, SyncWorkflowContext, WaitConditionOptions,
    WorkflowCancellationToken, WorkflowContext, WorkflowContextView, WorkflowResult,
    WorkflowTermination,
};

use crate::driver::{Driver, RunEnd};
use crate::wire::{AnswerError, OnceNote, RunData, RunInput, pack, unpack};

/// The name of the workflow.
pub(crate) const RUN: &str = "genkit.Run";

/// The name of the memo field and of the search attribute that hold the status.
pub(crate) const STATUS: &str = "GenkitStatus";

/// The type of the failure of a failed run.
pub(crate) const RUN_FAILED: &str = "genkit.RunFailed";

const STATUS_KEY: SearchAttributeKey<String> = SearchAttributeKey::keyword(STATUS);

/// A durable run of genkit.
#[workflow]
#[derive(Default)]
pub(crate) struct RunWorkflow {
    pub(crate) data: Option<RunData>,
    /// Answers that the run has not accepted yet, with the ticket of their reply.
    pub(crate) answers: VecDeque<(u64, EngineAnswers)>,
    /// The replies to answers. `None` if they were accepted.
    replies: BTreeMap<u64, Option<AnswerError>>,
    last_ticket: u64,
    /// The results of `once` of open steps.
    pub(crate) recorded: BTreeMap<u64, Recorded>,
}

/// The results of `once` of a step, sent by its current attempt and by earlier attempts.
#[derive(Default)]
pub(crate) struct Recorded {
    pub(crate) attempt: u32,
    pub(crate) values: BTreeMap<String, Value>,
}

#[workflow_methods]
impl RunWorkflow {
    #[run(name = "genkit.Run")]
    pub(crate) async fn run(
        ctx: &mut WorkflowContext<Self>,
        input: Vec<u8>,
    ) -> WorkflowResult<Vec<u8>> {
        let RunInput { data, is_indexed, due } = unpack(&input).map_err(failure)?;
        ctx.state_mut(|run| run.data = Some(data));
        let ended = Driver::new(ctx, is_indexed).drive(due).await;
        if let Err(RunEnd::Continue(input)) = &ended {
            let input = pack("the state of the run", input).map_err(failure)?;
            match ctx.continue_as_new(input, ContinueAsNewOptions::default())? {}
        }
        finish_updates(ctx).await;
        let error = ended.map_err(|end| failure(end.message()))?;
        let data = pack("the state of the run", &ctx.state(|run| run.data.clone()));
        let data = data.map_err(failure)?;
        match error {
            None => Ok(data),
            Some(_) if is_cancelled(ctx) => Err(WorkflowTermination::cancelled_with_details(data)),
            Some(error) => Err(ApplicationFailure::builder(error)
                .type_name(RUN_FAILED.to_owned())
                .non_retryable(true)
                .details(data)
                .build()
                .into()),
        }
    }

    /// Accepts answers to open questions. Returns an error if they do not match the open questions.
    #[update]
    pub(crate) async fn answer(
        ctx: &mut WorkflowContext<Self>,
        answers: EngineAnswers,
    ) -> Option<AnswerError> {
        let ticket = ctx.state_mut(|run| run.add_answers(answers));
        let detached = WaitConditionOptions::builder()
            .cancellation_token(WorkflowCancellationToken::new())
            .build();
        let replied = move |run: &Self| run.replies.contains_key(&ticket);
        // The token of this wait is never cancelled.
        let _ = ctx.wait_condition_with_options(replied, detached).await;
        ctx.state_mut(|run| run.replies.remove(&ticket)).flatten()
    }

    /// Accepts answers to open questions, without a reply: for `temporal workflow signal`, and while no worker runs.
    #[signal(name = "answer")]
    pub(crate) fn answer_signal(
        &mut self,
        _ctx: &mut SyncWorkflowContext<Self>,
        answers: EngineAnswers,
    ) {
        self.add_answers(answers);
    }

    /// Records a result of `once`. Results of lost attempts are ignored.
    #[signal]
    pub(crate) fn once(&mut self, _ctx: &mut SyncWorkflowContext<Self>, note: Vec<u8>) {
        let Ok(OnceNote { number, attempt, key, done }) = unpack(&note) else { return };
        if let Some(recorded) = self.recorded.get_mut(&number)
            && recorded.attempt == attempt
        {
            recorded.values.insert(key, done);
        }
    }

    /// Returns the stored data of the run.
    #[query]
    pub(crate) fn state(&self, _ctx: &WorkflowContextView) -> Vec<u8> {
        pack("the state of the run", &self.data).unwrap_or_default()
    }

    fn add_answers(&mut self, answers: EngineAnswers) -> u64 {
        self.last_ticket += 1;
        self.answers.push_back((self.last_ticket, answers));
        self.last_ticket
    }

    pub(crate) fn reply(&mut self, ticket: u64, refusal: Option<AnswerError>) {
        if let Some(refusal) = &refusal {
            tracing::warn!(
                ?refusal,
                "rejected answers that do not match the open questions of the run"
            );
        }
        self.replies.insert(ticket, refusal);
    }
}

/// Converts an error that ends the workflow.
fn failure(error: impl Into<Box<dyn std::error::Error + Send + Sync>>) -> WorkflowTermination {
    ApplicationFailure::non_retryable(error).into()
}

fn is_cancelled(ctx: &WorkflowContext<RunWorkflow>) -> bool {
    ctx.state(|run| run.data.as_ref().is_some_and(|data| data.status == RunStatus::Cancelled))
}

/// Replies to answers that arrived at the end of the run, and waits until the replies are sent.
async fn finish_updates(ctx: &WorkflowContext<RunWorkflow>) {
    let rejected = |run: &mut RunWorkflow| {
        while let Some((ticket, _)) = run.answers.pop_front() {
            run.reply(ticket, Some(AnswerError::run_ended()));
        }
    };
    ctx.state_mut(rejected);
    let detached = WaitConditionOptions::builder()
        .cancellation_token(WorkflowCancellationToken::new())
        .build();
    // The token of this wait is never cancelled.
    let _ = ctx.wait_condition_with_options(|_| ctx.all_handlers_finished(), detached).await;
}

/// Shows the status of the run to clients and in Temporal's user interface.
pub(crate) fn publish_status(
    ctx: &WorkflowContext<RunWorkflow>,
    status: RunStatus,
    is_indexed: bool,
) {
    if let Err(error) = ctx.upsert_memo([(STATUS, Some(MemoValue::new(status)))]) {
        tracing::warn!(%error, "failed to write the status of a run");
    }
    if is_indexed {
        ctx.upsert_search_attributes([STATUS_KEY.value_set(status.as_str().to_owned())]);
    }
}
