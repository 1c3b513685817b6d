//! A worker, which performs the runs that are due.

mod cron;
mod measure;
pub(crate) mod resting;
pub(crate) mod rules;
mod schedule;

use std::collections::{HashMap, HashSet, VecDeque};
use std::future::IntoFuture;
use std::time::Duration;

use futures_util::StreamExt as _;
use futures_util::stream::FuturesUnordered;
use serde_json::Value;
use tokio::time::Instant;
use tokio_util::sync::CancellationToken;

pub use self::cron::Cron;
use self::measure::measure_runs;
use self::rules::WorkRules;
use self::schedule::{Schedule, ScheduledStart};
use super::drive::{WorkResult, work_on};
use super::limits::{CONCURRENCY, MEASURE, POLL, SKIP, SWEEP};
use super::operate::delete_finished;
use super::runs::run_store;
use super::unreadable::SkippedRuns;
use genkit_agent::{Generate, Instance};
use genkit_core::BoxFuture;
use genkit_core::RunId;
use genkit_core::internal::visible::Logged;
use genkit_core::{Error, ErrorKind, Result};

/// A worker for durable runs and flows, created by `Genkit::work`. It does nothing until it is awaited.
///
/// Until it is stopped, the worker performs the durable runs and flows that are due, no matter which process created
/// them. Any number of processes can work on the same store.
///
/// ```no_run
/// # async fn example(genkit: genkit::Genkit) -> genkit::Result<()> {
/// genkit.work().concurrency(4).until(async { tokio::signal::ctrl_c().await.ok(); }).await
/// # }
/// ```
///
/// # Errors
/// Returns `FailedPrecondition` without `GenkitBuilder::durable`, and the errors of
/// [`schedule_flow`](Self::schedule_flow) for an invalid schedule. An error from the store is logged, and the store is
/// queried again.
#[must_use = "a worker does nothing until it is awaited"]
pub struct Worker {
    genkit: Instance,
    concurrency: usize,
    poll: Duration,
    keep_finished: Option<Duration>,
    rules: WorkRules,
    schedules: Vec<Schedule>,
    until: Option<BoxFuture<'static, ()>>,
}

impl Worker {
    #[doc(hidden)]
    pub fn for_instance(instance: &Instance) -> Self {
        Self {
            genkit: instance.clone(),
            concurrency: CONCURRENCY,
            poll: POLL,
            keep_finished: None,
            rules: WorkRules::default(),
            schedules: Vec::new(),
            until: None,
        }
    }
}

impl Worker {
    /// Sets the concurrency: the maximum number of runs that the worker performs in parallel. Default is 16.
    pub fn concurrency(mut self, runs: usize) -> Self {
        self.concurrency = runs.max(1);
        self
    }

    /// Sets the interval between two queries for due runs. The end of a run triggers a query immediately. Default is 1
    /// second.
    pub fn poll(mut self, every: Duration) -> Self {
        self.poll = every;
        self
    }

    /// Sets the retention: how long finished runs are kept. The worker deletes older runs when it starts and then every
    /// 10 minutes, or more often if `time` is shorter. Children are kept until the run that started them is finished.
    /// By default, all runs are kept.
    pub fn keep_finished_for(mut self, time: Duration) -> Self {
        self.keep_finished = Some(time);
        self
    }

    /// Sets how many runs with this name or tag the worker performs in parallel. The name of a run is the name of its
    /// flow, or of its model if the run is not a flow. Additional runs wait without delaying other runs. Each call to
    /// this method adds a limit. Each worker has its own limits.
    pub fn concurrency_limit(mut self, name_or_tag: impl Into<String>, runs: usize) -> Self {
        self.rules.set_limit(name_or_tag.into(), runs);
        self
    }

    /// Sets how many runs with the same tag the worker performs in parallel, for each tag with this prefix. For
    /// example, with the prefix `customer:`, a limit of 1 and the tags `customer:7` and `customer:8`, the worker
    /// performs one run per customer at a time. If several prefixes match a tag, the longest applies. Otherwise the
    /// same as [`concurrency_limit`](Self::concurrency_limit).
    ///
    /// ```no_run
    /// # async fn example(genkit: genkit::Genkit) -> genkit::Result<()> {
    /// genkit.work().concurrency_limit_per_tag("customer:", 1).await
    /// # }
    /// ```
    pub fn concurrency_limit_per_tag(mut self, prefix: impl Into<String>, runs: usize) -> Self {
        self.rules.set_limit_per_tag(prefix.into(), runs);
        self
    }

    /// Sets how many runs with this name or tag the worker starts or continues per `period`. Otherwise the same as
    /// [`concurrency_limit`](Self::concurrency_limit).
    pub fn rate_limit(
        mut self,
        name_or_tag: impl Into<String>,
        runs: usize,
        period: Duration,
    ) -> Self {
        self.rules.set_rate(name_or_tag.into(), runs, period);
        self
    }

    /// Sets which runs the worker performs, by the build that created them: the value of
    /// `GenkitBuilder::durable_build`, or `None` if it was not set. Other runs are left to other workers. By default, a
    /// worker performs all runs.
    ///
    /// ```no_run
    /// # async fn example(genkit: genkit::Genkit) -> genkit::Result<()> {
    /// genkit.work().accept_builds(|build| build.is_some_and(|build| build.starts_with("2."))).await
    /// # }
    /// ```
    pub fn accept_builds(
        mut self,
        accepts: impl Fn(Option<&str>) -> bool + Send + Sync + 'static,
    ) -> Self {
        self.rules.builds = Some(Box::new(accepts));
        self
    }

    /// Starts a durable flow at the times of a cron expression, such as `"0 3 * * *"` in UTC. See [`Cron`] for the
    /// syntax and for other time zones.
    ///
    /// All workers of a store can have the same schedules: the id of a run consists of the name of the schedule and the
    /// scheduled time in UTC, such as `nightly-2026-11-27T03.00`, so only one run is started for each time. The run has
    /// the tag `schedule:` followed by the name. A scheduled time is skipped if no worker is running at that time.
    ///
    /// ```no_run
    /// # async fn example(genkit: genkit::Genkit) -> genkit::Result<()> {
    /// use genkit::durable::Cron;
    ///
    /// let nightly = Cron::new("0 3 * * *").time_zone("Europe/Berlin");
    /// genkit.work().schedule_flow("nightly", nightly, "report", serde_json::json!({})).await
    /// # }
    /// ```
    ///
    /// The worker returns `InvalidArgument` for an invalid name, expression or time zone, and `NotFound` if the flow is
    /// not in its registry.
    pub fn schedule_flow(
        mut self,
        name: impl Into<String>,
        cron: impl Into<Cron>,
        flow: impl Into<String>,
        input: Value,
    ) -> Self {
        let start = ScheduledStart::Flow(flow.into(), input);
        self.schedules.push(Schedule::new(name.into(), cron.into(), start));
        self
    }

    /// Starts a durable run at the times of a cron expression. Otherwise the same as
    /// [`schedule_flow`](Self::schedule_flow).
    pub fn schedule_run(
        mut self,
        name: impl Into<String>,
        cron: impl Into<Cron>,
        run: Generate,
    ) -> Self {
        let start = ScheduledStart::Run(Box::new(run));
        self.schedules.push(Schedule::new(name.into(), cron.into(), start));
        self
    }

    /// Stops the worker when `signal` resolves: no new runs are started, and each active run stops after its current
    /// step. Dropping the worker stops it immediately, in the middle of steps.
    pub fn until(mut self, signal: impl Future<Output = ()> + Send + 'static) -> Self {
        self.until = Some(Box::pin(signal));
        self
    }

    /// Runs the worker. Awaiting the worker does the same; this `async fn` is for `tokio::spawn`.
    ///
    /// # Errors
    /// See [`Worker`].
    pub async fn run(self) -> Result<()> {
        let Self { genkit, concurrency, poll, keep_finished, rules, schedules, until } = self;
        let store = run_store(&genkit)?;
        let schedules = schedules.into_iter().map(|schedule| schedule.activate(&genkit));
        let mut schedules = schedules.collect::<Result<Vec<_>>>()?;
        let mut until = until.unwrap_or_else(|| Box::pin(std::future::pending()));
        let stop = CancellationToken::new();
        let (mut taken, mut left) = (HashSet::new(), DeferredRuns::default());
        let mut running = FuturesUnordered::new();
        let mut ended = Vec::new();
        let (mut next_sweep, mut next_measure) = (Instant::now(), Instant::now());
        let skipped = SkippedRuns::default();
        loop {
            if let Some(kept) = keep_finished.filter(|_| next_sweep <= Instant::now()) {
                let deleting = delete_finished(&*store, kept, &skipped);
                log_deleted(await_while_running(deleting, &mut running, &mut ended).await);
                next_sweep = Instant::now() + kept.min(SWEEP).max(poll);
            }
            if next_measure <= Instant::now() {
                let measuring = measure_runs(&*store, taken.len());
                log_failed(await_while_running(measuring, &mut running, &mut ended).await);
                next_measure = Instant::now() + MEASURE;
            }
            for schedule in schedules.iter_mut().filter(|_| !stop.is_cancelled()) {
                let starting = schedule.start_due(&genkit);
                await_while_running(starting, &mut running, &mut ended).await;
            }
            let looked = genkit.runs.resting.check_late_runs(&*store);
            await_while_running(looked, &mut running, &mut ended).await;
            let free = concurrency.saturating_sub(running.len());
            if free > 0 && !stop.is_cancelled() {
                left.forget_old(&rules);
                // The query also returns the runs in `taken` and `left`, so raise the limit by their number.
                let query = store.due(free + taken.len() + left.until.len());
                let due = await_while_running(query, &mut running, &mut ended).await;
                let due = due.unwrap_or_else(|error| {
                    let error = Logged::text(error.chain());
                    tracing::warn!(%error, "failed to look up due runs");
                    Vec::new()
                });
                let is_new = |id: &RunId| !taken.contains(id) && !left.until.contains_key(id);
                let (of_servers, due): (Vec<_>, Vec<_>) =
                    due.into_iter().filter(is_new).partition(RunId::is_of_server);
                // Runs of an MCP server are performed by that server.
                of_servers.into_iter().for_each(|id| left.leave(id, SKIP));
                let new: Vec<RunId> = due.into_iter().take(free).collect();
                for id in new {
                    taken.insert(id.clone());
                    let (genkit, store, stop, rules) = (&genkit, &store, &stop, &rules);
                    running.push(async move {
                        let worked = work_on(genkit, store, &id, stop, rules).await;
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
                left.note_ended(id, worked, poll);
            }
            if stop.is_cancelled() && running.is_empty() {
                return Ok(());
            }
        }
    }
}

/// The runs that a worker does not perform for some time.
#[derive(Default)]
struct DeferredRuns {
    until: HashMap<RunId, Instant>,
    /// The runs that wait for a slot, by name or tag.
    full: HashMap<String, VecDeque<RunId>>,
    /// The last error that was reported for each run.
    reported: HashMap<RunId, String>,
}

impl DeferredRuns {
    fn leave(&mut self, id: RunId, time: Duration) {
        self.until.insert(id, Instant::now() + time);
    }

    /// Forgets runs whose pause is over, and as many waiting runs as there are free slots.
    fn forget_old(&mut self, rules: &WorkRules) {
        self.until.retain(|_, until| *until > Instant::now());
        self.full.retain(|key, waiting| {
            waiting.retain(|id| self.until.contains_key(id));
            for id in waiting.drain(..rules.free_slots(key).min(waiting.len())) {
                self.until.remove(&id);
            }
            !waiting.is_empty()
        });
    }

    /// Records the result of working on a run.
    fn note_ended(&mut self, id: RunId, worked: Result<WorkResult>, poll: Duration) {
        let error = match worked {
            Ok(WorkResult::Settled | WorkResult::Elsewhere) => {
                self.reported.remove(&id);
                return;
            }
            Ok(WorkResult::Later) => return self.leave(id, poll),
            Ok(WorkResult::NotFor(time)) => return self.leave(id, time),
            Ok(WorkResult::Full(key)) => {
                self.full.entry(key).or_default().push_back(id.clone());
                return self.leave(id, SKIP);
            }
            Err(error) => error,
        };
        let pause = match error.kind() {
            // Another worker continues the run, or it can continue immediately.
            ErrorKind::Aborted => return,
            // The store is unavailable.
            ErrorKind::Unavailable => poll,
            _ => SKIP,
        };
        report_once(&mut self.reported, &id, &error);
        self.leave(id, pause);
    }
}

fn log_failed(measured: Result<()>) {
    if let Err(error) = measured {
        tracing::warn!(error = %Logged::text(error.chain()), "failed to measure the runs of a store");
    }
}

/// Logs that a run cannot be continued here, once for each reason.
fn report_once(reported: &mut HashMap<RunId, String>, run: &RunId, error: &Error) {
    let text = error.chain();
    if reported.get(run) != Some(&text) {
        tracing::warn!(%run, error = %Logged::text(&text), "cannot continue a run in this process; other workers may continue it");
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

/// Awaits `query` while polling `running`, and moves finished runs to `ended`. Otherwise, a query that waits for a lock
/// held by one of the runs would deadlock.
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
mod tests;
