//! Runs that wait for something elsewhere, and are let go meanwhile: nobody has their lease, no function runs.

use std::collections::HashMap;
use std::sync::{Arc, Mutex};
use std::time::Duration;

use super::limits::{FORGET_REST, POLL};
use super::session::LeasedRun;
use super::store::{RunId, RunStatus, RunStore, now_ms};
use crate::context::{Elsewhere, Rest};
use crate::error::Result;
use crate::sync::lock;

/// The runs that this process has let go. Another that takes one up runs its functions anew.
#[derive(Clone, Default)]
pub(crate) struct RestingRuns(Arc<Mutex<HashMap<RunId, RestingRun>>>);

/// A run as it was let go.
struct RestingRun {
    revision: u64,
    wakes_ms: u64,
    waits: Vec<Arc<dyn Elsewhere>>,
}

/// When to look at what runs wait for, in milliseconds since 1970, and all of it.
pub(super) fn joined(rests: Vec<Rest>) -> (u64, Vec<Arc<dyn Elsewhere>>) {
    let now = tokio::time::Instant::now();
    let until = rests.iter().map(|rest| rest.until.saturating_duration_since(now)).min();
    (in_ms(until.unwrap_or_default()), rests.into_iter().flat_map(|rest| rest.waits).collect())
}

fn in_ms(time: Duration) -> u64 {
    now_ms().saturating_add(u64::try_from(time.as_millis()).unwrap_or(u64::MAX))
}

/// Looks at what a run waits for, under its lease: when to look again, `None` where its functions must go on.
pub(super) async fn look(
    session: &mut LeasedRun,
    waits: &[Arc<dyn Elsewhere>],
) -> Result<Option<u64>> {
    let mut looks =
        std::pin::pin!(futures_util::future::join_all(waits.iter().map(|wait| wait.look())));
    let looked = loop {
        tokio::select! {
            biased;
            looked = &mut looks => break looked,
            () = session.until_renewal() => session.renew().await?,
        }
    };
    let again: Option<Vec<Duration>> = looked.into_iter().collect();
    Ok(again.and_then(|again| again.into_iter().min()).map(in_ms))
}

impl RestingRuns {
    /// Keeps what a run waits for.
    pub(super) fn keep(
        &self,
        id: &RunId,
        revision: u64,
        wakes_ms: u64,
        waits: Vec<Arc<dyn Elsewhere>>,
    ) {
        lock(&self.0).insert(id.clone(), RestingRun { revision, wakes_ms, waits });
    }

    /// Takes what a run waits for, if it is as it was let go.
    pub(super) fn take(&self, id: &RunId, revision: u64) -> Option<Vec<Arc<dyn Elsewhere>>> {
        let run = lock(&self.0).remove(id)?;
        (run.revision == revision).then_some(run.waits)
    }

    /// Somebody has cancelled a run: what it waits for is given up.
    pub(super) fn cancelled(&self, id: &RunId) {
        let run = lock(&self.0).remove(id);
        run.iter().flat_map(|run| &run.waits).for_each(|wait| wait.give_up());
    }

    /// Looks after those that should have been taken up again: some were cancelled elsewhere, or another process has
    /// them.
    pub(super) async fn look_after(&self, store: &dyn RunStore) {
        let late = now_ms().saturating_sub(u64::try_from(POLL.as_millis() * 2).unwrap_or(u64::MAX));
        let late: Vec<(RunId, u64, u64)> = lock(&self.0)
            .iter()
            .filter(|(_, run)| run.wakes_ms < late)
            .map(|(id, run)| (id.clone(), run.revision, run.wakes_ms))
            .collect();
        for (id, revision, wakes_ms) in late {
            let is_old = now_ms().saturating_sub(wakes_ms)
                > u64::try_from(FORGET_REST.as_millis()).unwrap_or(u64::MAX);
            match store.peek(&id).await {
                Ok(Some(head)) if head.status == RunStatus::Cancelled => self.cancelled(&id),
                Ok(Some(head)) if head.revision == revision && !is_old => {}
                Ok(_) => drop(lock(&self.0).remove(&id)),
                Err(_) => {}
            }
        }
    }
}
