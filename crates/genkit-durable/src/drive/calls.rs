//! The tool calls of a round.

use std::collections::BTreeMap;
use std::sync::{Arc, Mutex};
use std::time::Duration;

use futures_util::future::Either;
use futures_util::{StreamExt as _, stream};
use tokio::sync::mpsc;

use super::{save_later, save_run, unless_cancelled};
use crate::journal::{CallJournal, Note, NoteContent};
use crate::record::{Record, RunBody, StoredError};
use crate::session::LeasedRun;
use crate::settings::RetryPolicy;
use crate::work::resting::{self, NextAttempt};
use genkit_agent::Instance;
use genkit_agent::{CallResult, Run, RunCall, RunState};
use genkit_core::internal::sync::lock;
use genkit_core::{Result, RunStatus};

/// The result of running the calls of a round.
pub(super) enum RoundResult {
    Settled(Result<()>),
    /// The remaining calls wait for external operations or for a retry, and were dropped until then.
    Suspended,
}

/// The calls that were started and have no result, by their index.
type BegunCalls = Mutex<BTreeMap<usize, Arc<CallJournal>>>;

/// Runs the calls of a round, some of them in parallel. Results of `once` are saved before the call continues, and the
/// result of a call is saved when it ends.
pub(super) async fn perform_calls(
    genkit: &Instance,
    session: &mut LeasedRun,
    run: &mut Run,
    calls: Vec<RunCall>,
    attempts: u32,
    before: &mut RunState,
) -> Result<RoundResult> {
    let (notes, mut noted) = mpsc::unbounded_channel();
    let (mut left, mut again) = (calls.len(), None);
    let (begun, link) = (BegunCalls::default(), session.link());
    let perform = |call: RunCall| {
        let journal = CallJournal::new(&link.id, call.position(), notes.clone());
        let policy = link.kept.tool_policy(&call.request().name).cloned();
        let policy = policy.or_else(|| call.tool_retry().map(RetryPolicy::from));
        let journal = match call.is_at_most_once() {
            true => journal.for_run(&link),
            false => journal.for_run(&link).with_suspension(true).with_policy(policy, attempts + 1),
        };
        let journal = Arc::new(journal);
        lock(&begun).insert(call.position().1, Arc::clone(&journal));
        perform_call(call, journal)
    };
    let at_a_time = run.parallel_tools();
    let mut running = std::pin::pin!(stream::iter(calls).map(perform).buffer_unordered(at_a_time));
    while left > 0 {
        let (mut notes, mut settled) = (Vec::new(), None);
        let event = async {
            tokio::select! {
                biased;
                Some(note) = noted.recv() => Either::Left(note),
                Some(ended) = running.next() => Either::Right(ended),
            }
        };
        match session.run_leased(event).await {
            Ok(Either::Left(note)) => notes.push(note),
            Ok(Either::Right(ended)) => settled = Some(ended),
            Err(error) => return unless_cancelled(session, Err(error), || run.cancel_run()).await,
        }
        // Drain the channel, so that one save covers everything recorded so far.
        notes.extend(std::iter::from_fn(|| noted.try_recv().ok()));
        let is_new = note_all(run, &notes) || settled.is_some();
        if let Some((place, settled)) = settled {
            let journal = lock(&begun).remove(&place);
            left -= 1;
            match journal.and_then(|journal| journal.take_retry()) {
                Some(retry) => again = earlier_retry(again, retry),
                None => {
                    if settled.is_err() {
                        *before = run.state_after(usize::MAX);
                    }
                    if let Err(error) = run.accept_call_result(settled) {
                        return Ok(RoundResult::Settled(Err(error)));
                    }
                }
            }
        }
        if left > 0 && suspend_round(genkit, session, run, &begun, (attempts, &again)).await? {
            return Ok(RoundResult::Suspended);
        }
        // The last call is saved with the end of the round.
        if left > 0 && is_new {
            let saved = save_run(session, run).await;
            unless_cancelled(session, saved, || run.cancel_run()).await?;
        }
        for note in notes {
            // Sending fails if the call was dropped.
            let _ = note.saved.send(());
        }
    }
    let Some((wait, error)) = again else { return Ok(RoundResult::Settled(Ok(()))) };
    let body = RunBody::Generate(Box::new(run.state_after(session.logged)));
    save_later(session, body, attempts + 1, wait, error).await?;
    Ok(RoundResult::Suspended)
}

async fn perform_call(call: RunCall, journal: Arc<CallJournal>) -> (usize, Result<CallResult>) {
    let place = call.position().1;
    if call.is_at_most_once()
        && let Err(error) = journal.note_start().await
    {
        return (place, Err(error));
    }
    (place, call.with_journal(journal).perform().await)
}

/// Records the notes of calls. Returns whether there are changes to save.
fn note_all(run: &mut Run, notes: &[Note]) -> bool {
    for Note { place, what, .. } in notes {
        match what {
            NoteContent::Started => run.note_started(*place),
            NoteContent::Once { key, done } => run.note_once(*place, key.clone(), done.clone()),
            NoteContent::Published | NoteContent::Waits => {}
        }
    }
    notes.iter().any(|note| !matches!(note.what, NoteContent::Waits))
}

fn earlier_retry(
    known: Option<(Duration, StoredError)>,
    new: (Duration, StoredError),
) -> Option<(Duration, StoredError)> {
    match known {
        Some(known) if known.0 <= new.0 => Some(known),
        _ => Some(new),
    }
}

/// Suspends the run if all of its open calls are waiting, for external operations or for their next attempt. Returns
/// whether the run was suspended.
async fn suspend_round(
    genkit: &Instance,
    session: &mut LeasedRun,
    run: &mut Run,
    begun: &BegunCalls,
    (attempts, again): (u32, &Option<(Duration, StoredError)>),
) -> Result<bool> {
    let rests = lock(begun).values().map(|call| call.current_wait()).collect::<Option<Vec<_>>>();
    let Some(rests) = rests.filter(|rests| !rests.is_empty()) else { return Ok(false) };
    let joined = resting::join_waits(session, rests).await;
    let (mut wake, mut waits) = unless_cancelled(session, joined, || run.cancel_run()).await?;
    let mut record = Record::new(RunBody::Generate(Box::new(run.state_after(session.logged))));
    if let Some((wait, error)) = again {
        let retry = NextAttempt(resting::ms_from_now(*wait));
        wake = wake.min(retry.0);
        waits.push(Arc::new(retry));
        (record.attempts, record.error) = (attempts + 1, Some(error.clone()));
    }
    record.waits = resting::describe_waits(&waits);
    let saved = session.save_record(RunStatus::Working, Some(wake), record).await;
    unless_cancelled(session, saved, || run.cancel_run()).await?;
    genkit.runs.resting.insert_run(session.id(), session.revision(), wake, waits);
    Ok(true)
}
