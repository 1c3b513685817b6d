//! Working on a run: its steps are performed one by one, and each result is saved.

use std::collections::BTreeMap;
use std::sync::{Arc, Mutex};

use futures_util::{StreamExt as _, stream};
use tokio::sync::mpsc;
use tokio_util::sync::CancellationToken;
use tracing::Instrument as _;

use super::flow_state::FlowState;
use super::journal::{CallJournal, Note, NoteContent};
use super::limits::{STEP_TRIES, step_wait};
use super::record::{Record, RunBody, StoredError};
use super::session::LeasedRun;
use super::work::resting;
use genkit_agent::Instance;
use genkit_agent::{NextStep, Run, RunCall, RunState};
use genkit_core::internal::run_store::now_ms;
use genkit_core::internal::sync::lock;
use genkit_core::internal::visible::Logged;
use genkit_core::{Error, Result};
use genkit_core::{RunChange, RunId, RunStatus, RunStore};

/// The result of an attempt to work on a run.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum WorkResult {
    /// Nothing is left to do now.
    Settled,
    /// Another worker has the run, or nothing was to be done.
    Elsewhere,
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
    let Some((mut session, stored)) = LeasedRun::begin(store, id).await? else {
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
    let worked = async {
        let Record { attempts, body, .. } = Record::read(id, &stored)?;
        match body {
            RunBody::Generate(state) => {
                drive_loop(genkit, &mut session, *state, attempts, stop).await
            }
            RunBody::Flow(state) => drive_flow(genkit, &mut session, *state, attempts).await,
        }
    };
    let worked = worked.instrument(tracing::info_span!("durable_run", run = %id)).await;
    if let Err(error) = &worked {
        let error = Logged::text(error.chain());
        tracing::warn!(run = %id, %error, "stopping work on a run");
    }
    session.release().await;
    worked.map(|()| WorkResult::Settled)
}

async fn drive_loop(
    genkit: &Instance,
    session: &mut LeasedRun,
    state: RunState,
    mut attempts: u32,
    stop: &CancellationToken,
) -> Result<()> {
    let mut run = Run::resume(genkit, state).await?;
    if run.ask_about_started() > 0 {
        save_run(session, &mut run).await?;
    }
    while !stop.is_cancelled() {
        // An error of the run ends the run. An error of `save` only ends the work of this process.
        let ended = match run.next() {
            NextStep::Model(call) => {
                let answered = run_with_renewal(session, call.perform()).await?;
                match try_again(session, &run, attempts, &answered, Error::is_retryable).await? {
                    true => return Ok(()),
                    false => run.answered(answered).map(drop),
                }
            }
            NextStep::Check(check) => {
                let checked = run_with_renewal(session, check.perform()).await?;
                run.checked(checked).map(drop)
            }
            NextStep::Tools(calls) => {
                match perform_calls(genkit, session, &mut run, calls).await? {
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
            Err(error) => return fail_loop(session, &run, &error).await,
        }
    }
    Ok(())
}

/// Runs `work` while renewing the lease.
async fn run_with_renewal<T>(
    session: &mut LeasedRun,
    work: impl Future<Output = Result<T>>,
) -> Result<Result<T>> {
    let mut work = std::pin::pin!(work);
    loop {
        tokio::select! {
            biased;
            done = &mut work => return Ok(done),
            () = session.until_renewal() => session.renew().await?,
        }
    }
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
    tracing::info!(%run, error = %why, ?waits, attempts, "retrying a step of a run later");
    let record =
        Record { attempts, error: Some(StoredError::from_error(error)), ..Record::new(body) };
    session.save_record(RunStatus::Working, Some(wake), record).await
}

/// Saves that the run failed, with its partial response.
async fn fail_loop(session: &mut LeasedRun, run: &Run, error: &Error) -> Result<()> {
    let Some(done) = error.partial() else {
        // Errors of the state machine always have a partial response.
        return Err(Error::new(error.kind(), error.chain()));
    };
    let state = run.failed_state(done, session.logged);
    let record = Record {
        error: Some(StoredError::from_error(error)),
        ..Record::new(RunBody::Generate(Box::new(state)))
    };
    session.save_record(RunStatus::Failed, None, record).await
}

/// The result of running the calls of a round.
enum RoundResult {
    Settled(Result<()>),
    /// The remaining calls only wait for something, and were dropped until then.
    Rests,
}

/// Runs the calls of a round, some of them in parallel. Results of `once` are saved before the call continues, and each
/// call is saved when it ends.
async fn perform_calls(
    genkit: &Instance,
    session: &mut LeasedRun,
    run: &mut Run,
    calls: Vec<RunCall>,
) -> Result<RoundResult> {
    let (notes, mut noted) = mpsc::unbounded_channel();
    let id = session.id().clone();
    let mut left = calls.len();
    // The calls that were started and have no result, by their index.
    let begun = Mutex::new(BTreeMap::new());
    let perform = |call: RunCall| {
        let (position, may_rest) = (call.position(), !call.is_at_most_once());
        let journal = CallJournal::new(&id, position, notes.clone()).that_may_rest(may_rest);
        let journal = Arc::new(journal);
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
        tokio::select! {
            biased;
            Some(note) = noted.recv() => notes.push(note),
            Some(ended) = running.next() => settled = Some(ended),
            () = session.until_renewal() => {
                let renewed = session.renew().await;
                unless_cancelled(session, renewed, || run.cancel_run()).await?;
                continue;
            }
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
            if let Err(error) = run.settled(settled) {
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
async fn unless_cancelled(
    session: &LeasedRun,
    done: Result<()>,
    cancel: impl FnOnce(),
) -> Result<()> {
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
    let journal = Arc::new(journal);
    let cancel = CancellationToken::new();
    let mut running =
        std::pin::pin!(state.run_flow(genkit, Arc::clone(&journal) as _, cancel.clone())?);
    let ended = loop {
        tokio::select! {
            biased;
            Some(Note { what, saved, .. }) = noted.recv() => {
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
            }
            ended = &mut running => break ended,
            () = session.until_renewal() => {
                let renewed = session.renew().await;
                unless_cancelled(session, renewed, || cancel.cancel()).await?;
            }
        }
    };
    match state.take_outcome(ended) {
        Ok(status) => {
            session.save_record(status, None, Record::new(RunBody::Flow(Box::new(state)))).await
        }
        Err(error) if may_pass(&error) && attempts + 1 < STEP_TRIES => {
            save_later(session, RunBody::Flow(Box::new(state)), attempts + 1, &error).await
        }
        Err(error) => {
            let error = Some(StoredError::from_error(&error));
            let record = Record { error, ..Record::new(RunBody::Flow(Box::new(state))) };
            session.save_record(RunStatus::Failed, None, record).await
        }
    }
}

/// Returns whether a flow that failed with this error may succeed later. An internal error of the program will not.
fn may_pass(error: &Error) -> bool {
    error.is_retryable() && error.kind() != genkit_core::ErrorKind::Internal
}
