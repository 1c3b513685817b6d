//! A durable flow, which runs as one step.

use std::sync::Arc;

use futures_util::future::Either;
use tokio::sync::mpsc;
use tokio_util::sync::CancellationToken;

use super::{save_later, unless_cancelled};
use crate::flow_state::FlowState;
use crate::journal::{CallJournal, Note, NoteContent};
use crate::record::{Record, RunBody, StoredError};
use crate::session::LeasedRun;
use crate::work::resting;
use genkit_agent::Instance;
use genkit_core::{Error, Result, RunStatus};

pub(super) async fn drive_flow(
    genkit: &Instance,
    session: &mut LeasedRun,
    mut state: FlowState,
    attempts: u32,
) -> Result<()> {
    let (notes, mut noted) = mpsc::unbounded_channel();
    let journal = CallJournal::new(session.id(), (0, 0), notes).for_run(&session.link());
    let journal = Arc::new(journal.with_suspension(true));
    let cancel = CancellationToken::new();
    let mut running =
        std::pin::pin!(state.run_flow(genkit, Arc::clone(&journal) as _, cancel.clone())?);
    let ended = loop {
        let event = async {
            tokio::select! {
                biased;
                Some(note) = noted.recv() => Either::Left(note),
                ended = &mut running => Either::Right(ended),
            }
        };
        let event = session.run_leased(event).await;
        let Note { what, saved, .. } =
            match unless_cancelled(session, event, || cancel.cancel()).await? {
                Either::Left(note) => note,
                Either::Right(ended) => break ended,
            };
        let rest = match what {
            NoteContent::Once { key, done } => {
                state.note_once(key, done);
                None
            }
            NoteContent::Started | NoteContent::Published => None,
            NoteContent::Waits => match journal.current_wait() {
                Some(rest) => {
                    let joined = resting::join_waits(session, vec![rest]).await;
                    Some(unless_cancelled(session, joined, || cancel.cancel()).await?)
                }
                None => continue,
            },
        };
        let mut record = Record::new(RunBody::Flow(Box::new(state.take_unsaved())));
        record.waits = rest.as_ref().map_or_else(Vec::new, |(_, it)| resting::describe_waits(it));
        let wake = rest.as_ref().map(|(wake, _)| *wake);
        let noted = session.save_record(RunStatus::Working, wake, record).await;
        unless_cancelled(session, noted, || cancel.cancel()).await?;
        let _ = saved.send(());
        if let Some((wake, waits)) = rest {
            genkit.runs.resting.insert_run(session.id(), session.revision(), wake, waits);
            return Ok(());
        }
    };
    match state.store_outcome(ended) {
        Ok(status) => {
            session.save_record(status, None, Record::new(RunBody::Flow(Box::new(state)))).await
        }
        Err(error) => match session.kept.retry_policy().wait_after_function(attempts + 1, &error) {
            Some(wait) => {
                let (body, error) =
                    (RunBody::Flow(Box::new(state)), StoredError::from_error(&error));
                save_later(session, body, attempts + 1, wait, error).await
            }
            None => fail_flow(session, state, &error).await,
        },
    }
}

/// Saves that the flow failed.
pub(super) async fn fail_flow(
    session: &mut LeasedRun,
    mut state: FlowState,
    error: &Error,
) -> Result<()> {
    let error = Some(StoredError::from_error(error));
    let record = Record { error, ..Record::new(RunBody::Flow(Box::new(state.take_unsaved()))) };
    session.save_record(RunStatus::Failed, None, record).await
}
