//! Working on a run: its steps are performed one by one, and each result is saved.

use std::collections::BTreeMap;
use std::sync::{Arc, Mutex};

use futures_util::future::Either;
use futures_util::{StreamExt as _, stream};
use tokio::sync::{OwnedMutexGuard, mpsc};
use tokio_util::sync::CancellationToken;
use tracing::Instrument as _;

use super::error::Error as E;
use super::flow_state::FlowState;
use super::journal::{CallJournal, Note, NoteContent};
use super::limits::{LEASE, LIVES, STEP_TRIES, SUSPECT_LIVES, step_wait};
use super::record::{Record, RunBody, StoredError};
use super::session::LeasedRun;
use super::work::resting;
use genkit_agent::Instance;
use genkit_agent::{NextStep, Run, RunCall, RunState};
use genkit_core::internal::run_store::now_ms;
use genkit_core::internal::sync::lock;
use genkit_core::internal::visible::Logged;
use genkit_core::{Error, Result};
use genkit_core::{RunChange, RunId, RunStatus, RunStore, StoredRun};

/// The result of an attempt to work on a run.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum WorkResult {
    /// Nothing is left to do now.
    Settled,
    /// Another worker has the run, or there was nothing to do.
    Elsewhere,
    /// Processes have ended at this run. It waits until this process works on no other such run.
    Later,
}

/// Works on a run until it is finished, is interrupted, or waits for a retry.
///
/// # Errors
/// The store failed, another process changed the run, or this process lacks something that the run needs. The saved run
/// is unchanged.
pub(super) async fn work_on(
    genkit: &Instance,
    store: &Arc<dyn RunStore>,
    id: &RunId,
    stop: &CancellationToken,
) -> Result<WorkResult> {
    let Some((mut session, stored)) =
        LeasedRun::begin(store, id, genkit.runs.lease.unwrap_or(LEASE)).await?
    else {
        return Ok(WorkResult::Elsewhere);
    };
    if stored.at.wake_at_ms.is_some_and(|time| time > now_ms()) {
        session.release().await;
        return Ok(WorkResult::Elsewhere);
    }
    if let Some(waits) = genkit.runs.resting.take_run(id, session.revision()) {
        let looked = resting::poll_waits(&mut session, &waits).await?;
        if let Some(wake) = looked {
            let same = RunChange::new(RunStatus::Working, stored.head).with_wake_at_ms(Some(wake));
            session.save_change(same).await?;
            genkit.runs.resting.keep_run(id, session.revision(), wake, waits);
            session.release().await;
            return Ok(WorkResult::Settled);
        }
    }
    let (record, _alone) = match take_record(genkit, &mut session, &stored).await {
        Ok(Some(taken)) => taken,
        Ok(None) => {
            session.release().await;
            return Ok(WorkResult::Later);
        }
        Err(error) => {
            session.release().await;
            return Err(error);
        }
    };
    let worked = async {
        let Record { attempts, lives, body, .. } = record;
        match body {
            RunBody::Generate(state) => {
                let run = Run::resume(genkit, *state).await?;
                match lives < LIVES {
                    true => drive_loop(genkit, &mut session, run, attempts, stop).await,
                    false => give_up_loop(&mut session, run, lives).await,
                }
            }
            RunBody::Flow(state) if lives >= LIVES => {
                let step = format!("the flow `{}`", state.name());
                let error = poisoned(&session, lives, step);
                fail_flow(&mut session, *state, &error).await
            }
            RunBody::Flow(state) => drive_flow(genkit, &mut session, *state, attempts).await,
        }
    };
    let worked = worked.instrument(tracing::info_span!("durable_run", run = %id)).await;
    session.release().await;
    worked.map(|()| WorkResult::Settled)
}

/// Reads the record of a run. If the last process ended while it worked on the run, counts that before any step starts,
/// and takes the single slot for such runs, since they may end this process as well. `None` if that slot is taken.
async fn take_record(
    genkit: &Instance,
    session: &mut LeasedRun,
    stored: &StoredRun,
) -> Result<Option<(Record, Option<OwnedMutexGuard<()>>)>> {
    let mut record = Record::read(session.id(), stored)?;
    if stored.at.is_abandoned {
        record.lives += 1;
        let (run, lives) = (session.id(), record.lives);
        tracing::warn!(%run, lives, "continuing a run whose last process ended without releasing it");
        let body = record.body.take_unsaved(session.logged);
        let Record { attempts, lives, ref error, .. } = record;
        let counted = Record { attempts, lives, error: error.clone(), ..Record::new(body) };
        session.save_record(RunStatus::Working, stored.at.wake_at_ms, counted).await?;
    }
    if record.lives < SUSPECT_LIVES {
        return Ok(Some((record, None)));
    }
    let alone = Arc::clone(&genkit.runs.suspects).try_lock_owned().ok();
    Ok(alone.map(|alone| (record, Some(alone))))
}

/// Creates the error of a run that ended too many processes.
fn poisoned(session: &LeasedRun, lives: u32, step: String) -> Error {
    E::Poisoned { id: session.id().to_string(), lives, step }.into()
}

/// Fails a run that ended too many processes, and names its step.
async fn give_up_loop(session: &mut LeasedRun, mut run: Run, lives: u32) -> Result<()> {
    let model = run.state_after(usize::MAX).model().to_owned();
    let step = match run.next() {
        NextStep::Model(_) => format!("a call to the model `{model}`"),
        NextStep::Tools(calls) => {
            let names: Vec<_> =
                calls.iter().map(|call| format!("`{}`", call.request().name)).collect();
            format!("the tool {}", names.join(", "))
        }
        _ => "a check of the output".to_owned(),
    };
    let before = run.state_after(usize::MAX);
    let error = run.end_with_error(poisoned(session, lives, step));
    fail_loop(session, &run, &error, before).await
}

async fn drive_loop(
    genkit: &Instance,
    session: &mut LeasedRun,
    mut run: Run,
    mut attempts: u32,
    stop: &CancellationToken,
) -> Result<()> {
    if run.ask_about_started() > 0 {
        save_run(session, &mut run).await?;
    }
    while !stop.is_cancelled() {
        // An operator can retry the step from this state.
        let mut before = run.state_after(usize::MAX);
        // An error of the run ends the run. An error of `save` only ends the work of this process.
        let ended = match run.next() {
            NextStep::Model(call) => {
                let answered = session.run_leased(call.perform()).await?;
                match try_again(session, &run, attempts, &answered, Error::is_retryable).await? {
                    true => return Ok(()),
                    false => run.accept_model_result(answered).map(drop),
                }
            }
            NextStep::Check(check) => {
                let checked = session.run_leased(check.perform()).await?;
                run.accept_verdict(checked).map(drop)
            }
            NextStep::Tools(calls) => {
                match perform_calls(genkit, session, &mut run, calls, &mut before).await? {
                    RoundResult::Settled(ended) => ended,
                    RoundResult::Rests => return Ok(()),
                }
            }
            // `NextStep::Asks`, `NextStep::Done`
            _ => return Ok(()),
        };
        attempts = 0;
        match ended {
            Ok(()) => save_run(session, &mut run).await?,
            Err(error) => return fail_loop(session, &run, &error, before).await,
        }
    }
    Ok(())
}

/// Saves the state of the run.
async fn save_run(session: &mut LeasedRun, run: &mut Run) -> Result<()> {
    let status = match run.next() {
        NextStep::Asks(_) => RunStatus::InputRequired,
        NextStep::Done => RunStatus::Completed,
        _ => RunStatus::Working,
    };
    let state = run.state_after(session.logged);
    session.save_record(status, None, Record::new(RunBody::Generate(Box::new(state)))).await
}

/// Schedules a retry of a step that failed with a temporary error. Returns whether the step will be retried.
async fn try_again<T>(
    session: &mut LeasedRun,
    run: &Run,
    attempts: u32,
    tried: &Result<T>,
    may_pass: impl Fn(&Error) -> bool,
) -> Result<bool> {
    let Err(error) = tried else { return Ok(false) };
    if !may_pass(error) || attempts + 1 >= STEP_TRIES {
        return Ok(false);
    }
    let state = run.state_after(session.logged);
    save_later(session, RunBody::Generate(Box::new(state)), attempts + 1, error)
        .await
        .map(|()| true)
}

/// Saves that the step is retried later.
async fn save_later(
    session: &mut LeasedRun,
    body: RunBody,
    attempts: u32,
    error: &Error,
) -> Result<()> {
    let waits = step_wait(attempts, error.retry_after());
    let wake = now_ms().saturating_add(u64::try_from(waits.as_millis()).unwrap_or(u64::MAX));
    let (run, why) = (session.id().clone(), Logged::text(error.chain()));
    tracing::info!(%run, error = %why, ?waits, attempts, "a step of a run failed and will be retried");
    let record =
        Record { attempts, error: Some(StoredError::from_error(error)), ..Record::new(body) };
    session.save_record(RunStatus::Working, Some(wake), record).await
}

/// Saves that the run failed, with its partial response.
async fn fail_loop(
    session: &mut LeasedRun,
    run: &Run,
    error: &Error,
    before: RunState,
) -> Result<()> {
    let Some(done) = error.partial() else {
        // Errors of the state machine always have a partial response.
        return Err(Error::new(error.kind(), error.chain()));
    };
    let state = run.failed_state(done, session.logged);
    let record = Record {
        error: Some(StoredError::from_error(error)),
        before: Some(Box::new(before)),
        ..Record::new(RunBody::Generate(Box::new(state)))
    };
    session.save_record(RunStatus::Failed, None, record).await
}

/// The result of running the calls of a round.
enum RoundResult {
    Settled(Result<()>),
    /// The remaining calls wait for external operations, and were dropped until these end.
    Rests,
}

/// Runs the calls of a round, some of them in parallel. Results of `once` are saved before the call continues, and each
/// call is saved when it ends.
async fn perform_calls(
    genkit: &Instance,
    session: &mut LeasedRun,
    run: &mut Run,
    calls: Vec<RunCall>,
    before: &mut RunState,
) -> Result<RoundResult> {
    let (notes, mut noted) = mpsc::unbounded_channel();
    let (id, lease) = (session.id().clone(), session.watch_lease());
    let mut left = calls.len();
    // The calls that were started and have no result, by their index.
    let begun = Mutex::new(BTreeMap::new());
    let perform = |call: RunCall| {
        let (position, may_rest) = (call.position(), !call.is_at_most_once());
        let journal = CallJournal::new(&id, position, notes.clone()).that_may_rest(may_rest);
        let journal = Arc::new(journal.under_lease(lease.clone()));
        lock(&begun).insert(position.1, Arc::clone(&journal));
        async move {
            if call.is_at_most_once()
                && let Err(error) = journal.note_start().await
            {
                return (position.1, Err(error));
            }
            (position.1, call.with_journal(journal).perform().await)
        }
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
        // Saves everything recorded so far at once.
        notes.extend(std::iter::from_fn(|| noted.try_recv().ok()));
        for Note { place, what, .. } in &notes {
            match what {
                NoteContent::Started => run.note_started(*place),
                NoteContent::Once { key, done } => run.note_once(*place, key.clone(), done.clone()),
                NoteContent::Rests => {}
            }
        }
        let is_new =
            settled.is_some() || notes.iter().any(|note| !matches!(note.what, NoteContent::Rests));
        if let Some((place, settled)) = settled {
            lock(&begun).remove(&place);
            left -= 1;
            if settled.is_err() {
                *before = run.state_after(usize::MAX);
            }
            if let Err(error) = run.accept_call_result(settled) {
                return Ok(RoundResult::Settled(Err(error)));
            }
        }
        // The last call is saved with the end of the round.
        let rests =
            || lock(&begun).values().map(|call| call.current_rest()).collect::<Option<Vec<_>>>();
        if let Some(rests) = rests().filter(|rests| left > 0 && !rests.is_empty()) {
            let (wake, waits) = resting::join_rests(rests);
            let state = run.state_after(session.logged);
            let record = Record::new(RunBody::Generate(Box::new(state)));
            let saved = session.save_record(RunStatus::Working, Some(wake), record).await;
            unless_cancelled(session, saved, || run.cancel_run()).await?;
            genkit.runs.resting.keep_run(&id, session.revision(), wake, waits);
            return Ok(RoundResult::Rests);
        }
        if left > 0 && is_new {
            let saved = save_run(session, run).await;
            unless_cancelled(session, saved, || run.cancel_run()).await?;
        }
        for note in notes {
            // The call may have been dropped, so that the receiver is gone.
            let _ = note.saved.send(());
        }
    }
    Ok(RoundResult::Settled(Ok(())))
}

/// If the run was cancelled, notifies its calls before they are dropped, so that they end work elsewhere. If another
/// worker continues the run, that work must not end.
async fn unless_cancelled<T>(
    session: &LeasedRun,
    done: Result<T>,
    cancel: impl FnOnce(),
) -> Result<T> {
    if done.is_err() && session.is_cancelled().await {
        cancel();
    }
    done
}

async fn drive_flow(
    genkit: &Instance,
    session: &mut LeasedRun,
    mut state: FlowState,
    attempts: u32,
) -> Result<()> {
    let (notes, mut noted) = mpsc::unbounded_channel();
    let journal = CallJournal::new(session.id(), (0, 0), notes).that_may_rest(true);
    let journal = Arc::new(journal.under_lease_of(session));
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
            NoteContent::Started => None,
            NoteContent::Rests => match journal.current_rest() {
                Some(rest) => Some(resting::join_rests(vec![rest])),
                None => continue,
            },
        };
        let record = Record::new(RunBody::Flow(Box::new(state.take_unsaved())));
        let wake = rest.as_ref().map(|(wake, _)| *wake);
        let noted = session.save_record(RunStatus::Working, wake, record).await;
        unless_cancelled(session, noted, || cancel.cancel()).await?;
        let _ = saved.send(());
        if let Some((wake, waits)) = rest {
            genkit.runs.resting.keep_run(session.id(), session.revision(), wake, waits);
            return Ok(());
        }
    };
    match state.take_outcome(ended) {
        Ok(status) => {
            session.save_record(status, None, Record::new(RunBody::Flow(Box::new(state)))).await
        }
        Err(error) if may_pass(&error) && attempts + 1 < STEP_TRIES => {
            save_later(session, RunBody::Flow(Box::new(state)), attempts + 1, &error).await
        }
        Err(error) => fail_flow(session, state, &error).await,
    }
}

/// Saves that the flow failed.
async fn fail_flow(session: &mut LeasedRun, mut state: FlowState, error: &Error) -> Result<()> {
    let error = Some(StoredError::from_error(error));
    let record = Record { error, ..Record::new(RunBody::Flow(Box::new(state.take_unsaved()))) };
    session.save_record(RunStatus::Failed, None, record).await
}

/// Returns whether a flow that failed with this error may succeed later. An internal error of the program will not.
fn may_pass(error: &Error) -> bool {
    error.is_retryable() && error.kind() != genkit_core::ErrorKind::Internal
}
