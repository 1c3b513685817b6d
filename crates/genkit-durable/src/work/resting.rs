//! Suspended runs that wait for external operations, and the checks of these operations.

use std::sync::Arc;
use std::time::Duration;

use crate::session::LeasedRun;
use genkit_core::internal::context::{ExternalOperation, PendingWaits, RunWait};
use genkit_core::internal::run_store::now_ms;
use genkit_core::{BoxFuture, Result};

/// The time of the next attempt of a failed call, in milliseconds since the Unix epoch.
pub(crate) struct NextAttempt(pub(crate) u64);

impl ExternalOperation for NextAttempt {
    fn poll_operation(&self) -> BoxFuture<'_, Option<Duration>> {
        let left = self.0.saturating_sub(now_ms());
        Box::pin(std::future::ready((left > 0).then(|| Duration::from_millis(left))))
    }

    fn describe(&self) -> RunWait {
        RunWait::Time(self.0)
    }

    fn give_up(&self) {}
}

/// Combines the external operations that the functions of a run wait for. Returns the time of the next check, in
/// milliseconds since the Unix epoch, and all operations to check. The time is now if a wait ends because mail arrived
/// after the functions last ran.
pub(crate) async fn join_waits(
    session: &mut LeasedRun,
    rests: Vec<PendingWaits>,
) -> Result<(u64, Vec<Arc<dyn ExternalOperation>>)> {
    let now = tokio::time::Instant::now();
    let until = rests.iter().map(|rest| rest.until.saturating_duration_since(now)).min();
    let waits: Vec<_> = rests.into_iter().flat_map(|rest| rest.waits).collect();
    let mut is_over = false;
    while !is_over && session.live.take_news() {
        is_over = poll_waits(session, &waits).await?.is_none();
    }
    Ok((ms_from_now(until.filter(|_| !is_over).unwrap_or_default()), waits))
}

/// The maximum number of waits in the record of a run. Default is 100; the other waits are not shown to operators.
const SHOWN_WAITS: usize = 100;

/// Describes the external operations that a run waits for, for its record.
pub(crate) fn describe_waits(waits: &[Arc<dyn ExternalOperation>]) -> Vec<RunWait> {
    waits.iter().take(SHOWN_WAITS).map(|wait| wait.describe()).collect()
}

/// Returns the current time plus `time`, in milliseconds since the Unix epoch.
pub(crate) fn ms_from_now(time: Duration) -> u64 {
    now_ms().saturating_add(u64::try_from(time.as_millis()).unwrap_or(u64::MAX))
}

/// Checks the external operations that a run waits for, while holding its lease. Returns the time of the next check, or
/// `None` if its functions must continue.
pub(crate) async fn poll_waits(
    session: &mut LeasedRun,
    waits: &[Arc<dyn ExternalOperation>],
) -> Result<Option<u64>> {
    let looks = futures_util::future::join_all(waits.iter().map(|wait| wait.poll_operation()));
    let looked = session.run_leased(looks).await?;
    let again: Option<Vec<Duration>> = looked.into_iter().collect();
    Ok(again.and_then(|again| again.into_iter().min()).map(ms_from_now))
}
