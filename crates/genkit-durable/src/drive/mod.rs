//! The driver of a run: performs its steps one by one, and saves each result.

mod calls;
mod flow;

use std::sync::Arc;
use std::time::Duration;

use tokio::sync::{OwnedMutexGuard, OwnedSemaphorePermit};
use tokio_util::sync::CancellationToken;
use tracing::Instrument as _;

use self::calls::{RoundResult, perform_calls};
use self::flow::{drive_flow, fail_flow};
use super::error::Error as E;
use super::handle::Handle;
use super::inside::mail::{Mail, join_head, split_head};
use super::limits::{LEASE, MAX_ENDED_PROCESSES, SUSPECT_AFTER_PROCESSES};
use super::record::{Record, RunBody, StoredError};
use super::session::LeasedRun;
use super::work::resting;
use super::work::rules::{Admission, WorkRules};
use genkit_agent::Instance;
use genkit_agent::{NextStep, Run, RunState};
use genkit_core::TraceContext;
use genkit_core::internal::context::ExternalOperation;
use genkit_core::internal::run_store::now_ms;
use genkit_core::internal::telemetry::installed_telemetry;
use genkit_core::internal::trace;
use genkit_core::internal::visible::Logged;
use genkit_core::{Error, Result};
use genkit_core::{RunChange, RunId, RunStatus, RunStore, StoredRun};

/// The result of an attempt to work on a run.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(super) enum WorkResult {
    /// Nothing is left to do now.
    Settled,
    /// Another worker has the lease of the run, or there was nothing to do.
    Elsewhere,
    /// Several processes have died while they worked on this run. It waits until this process works on no other such
    /// run.
    Later,
    /// The worker must not perform the run for this duration.
    NotFor(Duration),
    /// The worker has reached its limit of runs with this name or tag.
    Full(String),
}

/// Works on a run until it is finished, is interrupted, or waits for a retry.
///
/// # Errors
/// Returns an error if the store failed, if another process changed the run, or if this process
/// lacks a dependency of the run. The saved run is unchanged.
pub(super) async fn work_on(
    genkit: &Instance,
    store: &Arc<dyn RunStore>,
    id: &RunId,
    stop: &CancellationToken,
    rules: &WorkRules,
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
            save_next_check(genkit, &mut session, &stored, wake, waits).await?;
            session.release().await;
            return Ok(WorkResult::Settled);
        }
    }
    let (record, _held) = match take_record(genkit, &mut session, &stored, rules).await {
        Ok(Ok(taken)) => taken,
        Ok(Err(not_now)) => {
            session.release().await;
            return Ok(not_now);
        }
        Err(error) => {
            session.release().await;
            return Err(error);
        }
    };
    let span = tracing::info_span!("durable_run", run = %id);
    continue_trace(&span, &session);
    let root = session.kept.root.map(|(ids, began_ms)| trace::Root::continue_from(ids, began_ms));
    let worked = async {
        let Record { attempts, lives, body, .. } = record;
        let worked = match body {
            RunBody::Generate(state) => {
                let run = Run::resume(genkit, *state).await?;
                match lives < MAX_ENDED_PROCESSES {
                    true => drive_loop(genkit, &mut session, run, attempts, stop).await,
                    false => fail_poisoned_run(&mut session, run, lives).await,
                }
            }
            RunBody::Flow(state) if lives >= MAX_ENDED_PROCESSES => {
                let step = format!("the flow `{}`", state.name());
                let error = poison_error(&session, lives, step);
                fail_flow(&mut session, *state, &error).await
            }
            RunBody::Flow(state) => drive_flow(genkit, &mut session, *state, attempts).await,
        };
        worked.map(|()| session.status)
    };
    let worked = show_in_developer_tools(root, id, worked.instrument(span)).await;
    genkit.runs.streams.note_saved(id, usize::MAX);
    let parent = session.kept.parent.clone().filter(|_| session.status.is_over());
    session.release().await;
    if let Some(parent) = parent {
        wake_parent(genkit, store, parent).await;
    }
    worked.map(|_| WorkResult::Settled)
}

/// Saves the time of the next check of a suspended run. If mail arrives during the check, the run
/// is due immediately and its functions run again, since `waits` does not include that mail.
async fn save_next_check(
    genkit: &Instance,
    session: &mut LeasedRun,
    stored: &StoredRun,
    wake: u64,
    waits: Vec<Arc<dyn ExternalOperation>>,
) -> Result<()> {
    let (before, known) = split_head(&stored.head);
    let mail = session.live.mail();
    let head = join_head(before, &mail)?;
    let change = RunChange::new(RunStatus::Working, head);
    session.save_change(change.with_wake_at_ms((mail == known).then_some(wake))).await?;
    if session.live.mail() == known {
        genkit.runs.resting.insert_run(session.id(), session.revision(), wake, waits);
    }
    Ok(())
}

/// The permits of a worker while it performs a run: the slots of its limits, and the single slot for suspect runs.
type RunPermits = (Vec<OwnedSemaphorePermit>, Option<OwnedMutexGuard<()>>);

/// Reads the record of a run, if the rules of the worker allow it to perform the run now. If the last process died
/// while it worked on the run, the death is counted before any step starts. If several processes died, also takes the
/// single slot for such runs, since this process may die as well.
async fn take_record(
    genkit: &Instance,
    session: &mut LeasedRun,
    stored: &StoredRun,
    rules: &WorkRules,
) -> Result<std::result::Result<(Record, RunPermits), WorkResult>> {
    let mut record = Record::read(session.id(), stored)?;
    session.set_stored_state(record.kept.clone());
    if stored.at.is_abandoned {
        record.lives += 1;
        let (run, lives) = (session.id(), record.lives);
        tracing::warn!(%run, lives, "continuing a run whose last process ended without releasing its lease");
        let body = record.body.take_unsaved(session.logged);
        let Record { attempts, lives, ref error, .. } = record;
        let counted = Record { attempts, lives, error: error.clone(), ..Record::new(body) };
        session.save_record(RunStatus::Working, stored.at.wake_at_ms, counted).await?;
    }
    if let Some(parent) = &record.kept.parent
        && session.is_run_cancelled(parent).await
    {
        session.save_change(RunChange::new(RunStatus::Cancelled, stored.head.clone())).await?;
        return Ok(Err(WorkResult::Settled));
    }
    let permits = match rules.admit(&record) {
        Admission::Yes(permits) => permits,
        Admission::Full(key) => return Ok(Err(WorkResult::Full(key))),
        Admission::NotFor(time) => return Ok(Err(WorkResult::NotFor(time))),
    };
    if record.lives < SUSPECT_AFTER_PROCESSES {
        return Ok(Ok((record, (permits, None))));
    }
    let alone = Arc::clone(&genkit.runs.suspect_lock).try_lock_owned().ok();
    Ok(match alone {
        Some(alone) => Ok((record, (permits, Some(alone)))),
        None => Err(WorkResult::Later),
    })
}

/// Wakes the parent of a finished run. If that fails, the parent notices the end of the run at its next check.
pub(super) async fn wake_parent(genkit: &Instance, store: &Arc<dyn RunStore>, parent: RunId) {
    let handle = Handle::new(genkit, Arc::clone(store), parent);
    let wake = |mail: &mut Mail| {
        mail.wake();
        Ok(())
    };
    if let Err(error) = handle.send_mail(wake).await {
        let (run, error) = (handle.id(), Logged::text(error.chain()));
        tracing::debug!(%run, %error, "failed to wake the parent of a run");
    }
}

/// Runs the work under the root span of the run, which is the same in all processes, for the developer tools.
async fn show_in_developer_tools(
    root: Option<trace::Root>,
    id: &RunId,
    work: impl Future<Output = Result<RunStatus>>,
) -> Result<RunStatus> {
    let Some(root) = root.filter(|_| trace::is_on()) else { return work.await };
    let input = || serde_json::json!({ "run": id });
    let span = trace::NewSpan { name: id.as_str(), kind: trace::SpanKind::Util, input: &input };
    let work = trace::record_work(span, work, |worked| {
        trace::SpanOutcome::from_result(worked, |status| status.as_str().into())
    });
    let worked = trace::under_root(root, work).await;
    trace::flush().await;
    worked
}

/// Makes the span that created the run the parent of `span`.
fn continue_trace(span: &tracing::Span, session: &LeasedRun) {
    let parent = session.kept.trace.as_ref();
    let parent = parent.and_then(|(id, state)| Some(TraceContext::parse(id)?.with_state(state)));
    if let (Some(telemetry), Some(parent)) = (installed_telemetry(), parent) {
        telemetry.set_parent(span, &parent);
    }
}

/// Creates the error of a run that ended too many processes.
fn poison_error(session: &LeasedRun, lives: u32, step: String) -> Error {
    E::Poisoned { id: session.id().to_string(), lives, step }.into()
}

/// Fails a run that ended too many processes, and names its step.
async fn fail_poisoned_run(session: &mut LeasedRun, mut run: Run, lives: u32) -> Result<()> {
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
    let error = run.end_with_error(poison_error(session, lives, step));
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
        genkit.runs.streams.note_saved(session.id(), session.logged);
        run.set_sink(genkit.runs.streams.chunk_sink(session.id()));
        // An operator can retry the step from this state.
        let mut before = run.state_after(usize::MAX);
        // A failed step ends the run. A failed save only stops the work of this process.
        let ended = match run.next() {
            NextStep::Model(call) => {
                let answered = session.run_leased(call.perform()).await?;
                let tried = answered.as_ref().err().and_then(|error| {
                    let wait = session.kept.retry_policy().wait_after(attempts + 1, error)?;
                    Some((wait, StoredError::from_error(error)))
                });
                if let Some((wait, error)) = tried {
                    let body = RunBody::Generate(Box::new(run.state_after(session.logged)));
                    return save_later(session, body, attempts + 1, wait, error).await;
                }
                run.accept_model_result(answered).map(drop)
            }
            NextStep::Check(check) => {
                let checked = session.run_leased(check.perform()).await?;
                run.accept_verdict(checked).map(drop)
            }
            NextStep::Tools(calls) => {
                let round = perform_calls(genkit, session, &mut run, calls, attempts, &mut before);
                match round.await? {
                    RoundResult::Settled(ended) => ended,
                    RoundResult::Suspended => return Ok(()),
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

/// Saves that the step is retried later.
async fn save_later(
    session: &mut LeasedRun,
    body: RunBody,
    attempts: u32,
    wait: Duration,
    error: StoredError,
) -> Result<()> {
    let (run, why) = (session.id().clone(), Logged::text(error.text()).to_string());
    tracing::info!(%run, error = %why, ?wait, attempts, "a step of a run failed and will be retried");
    let record = Record { attempts, error: Some(error), ..Record::new(body) };
    session.save_record(RunStatus::Working, Some(resting::ms_from_now(wait)), record).await
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

/// Calls `cancel` if the work failed because the run was cancelled, so that calls end their external operations before
/// they are dropped. If another worker continues the run, these operations must not end.
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
