//! Metrics of the runs of a store.

use std::collections::HashSet;

use genkit_core::internal::run_store::now_ms;
use genkit_core::internal::telemetry::installed_telemetry;
use genkit_core::{ErrorKind, Metric, Result, Telemetry};
use genkit_core::{RunFilter, RunId, RunStatus, RunStore};

/// The maximum number of runs that a measurement counts. Default is 10,000.
const MAX_MEASURED_RUNS: usize = 10_000;

/// The number of runs in one page of the list. Default is 500.
const PAGE: usize = 500;

/// Counts the runs of a store by state, and records the counts. `running` is the number of runs of this worker.
pub(super) async fn measure_runs(store: &dyn RunStore, running: usize) -> Result<()> {
    let Some(telemetry) = installed_telemetry() else { return Ok(()) };
    let due: HashSet<RunId> =
        store.due(MAX_MEASURED_RUNS).await?.into_iter().filter(|id| !id.is_of_server()).collect();
    record_count(telemetry, "due", due.len());
    record_count(telemetry, "running", running);
    let now = now_ms();
    let (mut waiting, mut failed, mut oldest, mut seen) = (0, 0, now, 0);
    let statuses = [RunStatus::Working, RunStatus::InputRequired, RunStatus::Failed];
    let mut filter = statuses.into_iter().fold(RunFilter::new().limit(PAGE), RunFilter::status);
    while seen < MAX_MEASURED_RUNS {
        let page = match store.list(&filter).await {
            // The store cannot list runs.
            Err(error) if error.kind() == ErrorKind::FailedPrecondition => return Ok(()),
            page => page?,
        };
        let Some(last) = page.last() else { break };
        (seen, filter) = (seen + page.len(), filter.after(last.id.clone()));
        for run in page {
            let is_later = run.wake_at_ms.is_some_and(|wake| wake > now);
            match run.status {
                Some(RunStatus::Failed) => failed += 1,
                Some(RunStatus::Working) if due.contains(&run.id) => {
                    oldest = oldest.min(run.wake_at_ms.unwrap_or(0).max(run.updated_ms));
                }
                Some(RunStatus::InputRequired) => waiting += 1,
                _ if is_later => waiting += 1,
                _ => {}
            }
        }
    }
    record_count(telemetry, "waiting", waiting);
    record_count(telemetry, "failed", failed);
    #[expect(clippy::cast_precision_loss, reason = "an age in milliseconds is small")]
    let age = now.saturating_sub(oldest) as f64 / 1000.0;
    telemetry.record(Metric::DurableOldestDue, age, &[]);
    Ok(())
}

fn record_count(telemetry: &dyn Telemetry, state: &str, runs: usize) {
    let runs = f64::from(u32::try_from(runs).unwrap_or(u32::MAX));
    telemetry.record(Metric::DurableRuns, runs, &[("genkit.durable.state", state)]);
}
