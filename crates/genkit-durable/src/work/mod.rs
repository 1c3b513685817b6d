//! A worker, which performs the runs that are due.

pub(crate) mod resting;

use std::collections::{HashMap, HashSet};
use std::future::IntoFuture;
use std::time::Duration;

use futures_util::StreamExt as _;
use futures_util::stream::FuturesUnordered;
use tokio::time::Instant;
use tokio_util::sync::CancellationToken;

use super::drive::{WorkResult, work_on};
use super::limits::{CONCURRENCY, POLL, SKIP, SWEEP};
use super::operate::delete_finished;
use super::runs::run_store;
use genkit_agent::Instance;
use genkit_core::BoxFuture;
use genkit_core::RunId;
use genkit_core::internal::visible::Logged;
use genkit_core::{Error, ErrorKind, Result};

/// A worker for durable runs and flows, created by `Genkit::work`. It does nothing until it is awaited.
///
/// Until it is stopped, it executes durable runs and flows that are due, no matter which process created them. Any
/// number of processes may work on the same store.
///
/// ```no_run
/// # async fn example(genkit: genkit::Genkit) -> genkit::Result<()> {
/// genkit.work().concurrency(4).until(async { tokio::signal::ctrl_c().await.ok(); }).await
/// # }
/// ```
///
/// # Errors
/// `FailedPrecondition` without `GenkitBuilder::durable`. An error from the store is
/// logged, and the store is queried again.
#[must_use = "a worker does nothing until it is awaited"]
pub struct Worker {
    genkit: Instance,
    concurrency: usize,
    poll: Duration,
    keep_finished: Option<Duration>,
    until: Option<BoxFuture<'static, ()>>,
}

impl Worker {
    #[doc(hidden)]
    pub fn of_instance(instance: &Instance) -> Self {
        Self {
            genkit: instance.clone(),
            concurrency: CONCURRENCY,
            poll: POLL,
            keep_finished: None,
            until: None,
        }
    }
}

impl Worker {
    /// Sets the concurrency: the number of runs to work on in parallel. Default is 16.
    pub fn concurrency(mut self, runs: usize) -> Self {
        self.concurrency = runs.max(1);
        self
    }

    /// Sets how long to wait between two queries for due runs. The end of a run triggers a query immediately. Default
    /// is 1 second.
    pub fn poll(mut self, every: Duration) -> Self {
        self.poll = every;
        self
    }

    /// Sets the retention: how long finished runs are kept after they ended. The worker deletes older runs, at its
    /// start and then every 10 minutes, or more often for a shorter time. By default, all are kept.
    pub fn keep_finished_for(mut self, time: Duration) -> Self {
        self.keep_finished = Some(time);
        self
    }

    /// Stops the worker when `signal` resolves: no new runs are taken, and each active run stops after its current
    /// step. Dropping the worker stops immediately, in the middle of steps.
    pub fn until(mut self, signal: impl Future<Output = ()> + Send + 'static) -> Self {
        self.until = Some(Box::pin(signal));
        self
    }

    /// Returns a plain future that runs the worker, for example for `tokio::spawn`. Awaiting the worker does the same.
    ///
    /// # Errors
    /// See [`Worker`].
    pub async fn run(self) -> Result<()> {
        let Self { genkit, concurrency, poll, keep_finished, until } = self;
        let store = run_store(&genkit)?;
        let mut until = until.unwrap_or_else(|| Box::pin(std::future::pending()));
        let stop = CancellationToken::new();
        let (mut taken, mut left_alone) = (HashSet::new(), HashMap::<RunId, Instant>::new());
        let mut running = FuturesUnordered::new();
        let mut ended = Vec::new();
        let (mut next_sweep, mut reported) = (Instant::now(), HashMap::new());
        loop {
            if let Some(kept) = keep_finished.filter(|_| next_sweep <= Instant::now()) {
                let deleting = delete_finished(&*store, kept);
                log_deleted(await_while_running(deleting, &mut running, &mut ended).await);
                next_sweep = Instant::now() + kept.min(SWEEP).max(poll);
            }
            let looked = genkit.runs.resting.look_after(&*store);
            await_while_running(looked, &mut running, &mut ended).await;
            let free = concurrency.saturating_sub(running.len());
            if free > 0 && !stop.is_cancelled() {
                left_alone.retain(|_, until| *until > Instant::now());
                // The query also returns the runs in `taken` and `left_alone`, so raise the limit by their number.
                let query = store.due(free + taken.len() + left_alone.len());
                let due = await_while_running(query, &mut running, &mut ended).await;
                let due = due.unwrap_or_else(|error| {
                    let error = Logged::text(error.chain());
                    tracing::warn!(%error, "failed to look up due runs");
                    Vec::new()
                });
                let is_new = |id: &RunId| !taken.contains(id) && !left_alone.contains_key(id);
                let (of_servers, due): (Vec<_>, Vec<_>) =
                    due.into_iter().filter(is_new).partition(RunId::is_of_server);
                // Runs of an MCP server are handled by that server.
                left_alone.extend(of_servers.into_iter().map(|id| (id, Instant::now() + SKIP)));
                let new: Vec<RunId> = due.into_iter().take(free).collect();
                for id in new {
                    taken.insert(id.clone());
                    let (genkit, store, stop) = (&genkit, &store, &stop);
                    running.push(async move {
                        let worked = work_on(genkit, store, &id, stop).await;
                        (id, worked)
                    });
                }
            }
            tokio::select! {
                biased;
                () = &mut until, if !stop.is_cancelled() => stop.cancel(),
                () = std::future::ready(()), if !ended.is_empty() => {}
                Some(one) = running.next() => ended.push(one),
                () = tokio::time::sleep(poll), if !stop.is_cancelled() => {}
            }
            for (id, worked) in ended.drain(..) {
                taken.remove(&id);
                if let Ok(WorkResult::Later) = worked {
                    left_alone.insert(id, Instant::now() + poll);
                    continue;
                }
                let Err(error) = worked else {
                    reported.remove(&id);
                    continue;
                };
                let pause = match error.kind() {
                    // Another worker continues the run, or it can continue immediately.
                    ErrorKind::Aborted => continue,
                    // The store is unavailable.
                    ErrorKind::Unavailable => poll,
                    _ => SKIP,
                };
                report_once(&mut reported, &id, &error);
                left_alone.insert(id, Instant::now() + pause);
            }
            if stop.is_cancelled() && running.is_empty() {
                return Ok(());
            }
        }
    }
}

/// Logs that a run cannot be continued here, once for each reason.
fn report_once(reported: &mut HashMap<RunId, String>, run: &RunId, error: &Error) {
    let text = error.chain();
    if reported.get(run) != Some(&text) {
        tracing::warn!(%run, error = %Logged::text(&text), "stopping work on a run");
        reported.insert(run.clone(), text);
    }
}

fn log_deleted(deleted: Result<usize>) {
    match deleted {
        Ok(0) => {}
        Ok(runs) => tracing::info!(runs, "deleted finished runs"),
        Err(error) => {
            let error = Logged::text(error.chain());
            tracing::warn!(%error, "failed to delete finished runs");
        }
    }
}

/// Awaits `query` and polls `running` at the same time; moves finished runs to `ended`. Otherwise a query that waits
/// for a lock held by one of the runs would deadlock.
async fn await_while_running<T, F: Future>(
    query: impl Future<Output = T>,
    running: &mut FuturesUnordered<F>,
    ended: &mut Vec<F::Output>,
) -> T {
    let mut query = std::pin::pin!(query);
    loop {
        tokio::select! {
            biased;
            answer = &mut query => return answer,
            Some(one) = running.next() => ended.push(one),
        }
    }
}

impl IntoFuture for Worker {
    type Output = Result<()>;
    type IntoFuture = BoxFuture<'static, Result<()>>;

    fn into_future(self) -> Self::IntoFuture {
        Box::pin(self.run())
    }
}

impl std::fmt::Debug for Worker {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        f.debug_struct("Worker").field("concurrency", &self.concurrency).finish_non_exhaustive()
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[tokio::test]
    async fn runs_continue_during_store_query() {
        let (done, is_done) = tokio::sync::oneshot::channel();
        let mut running = FuturesUnordered::new();
        running.push(async move {
            tokio::task::yield_now().await;
            done.send("due").unwrap();
            "a run"
        });
        let mut ended = Vec::new();
        let answer = await_while_running(is_done, &mut running, &mut ended).await;
        assert_eq!((answer.unwrap(), ended.as_slice()), ("due", ["a run"].as_slice()));
    }
}
