//! The task that ends idle sessions.

use std::sync::Arc;
use std::time::Duration;

use super::SessionTable;

/// The maximum interval between sweeps. If sessions expire faster, sweeps are more frequent.
/// Default is 5 seconds.
const MAX_INTERVAL: Duration = Duration::from_secs(5);

/// Spawns the task, which ends when the table is dropped.
pub(super) fn spawn_sweeper(table: &Arc<SessionTable>) {
    // Wait at least 100 ms, so that the task never spins.
    let step = MAX_INTERVAL.min(Duration::from_millis(table.idle.max(100)));
    let table = Arc::downgrade(table);
    tokio::spawn(async move {
        loop {
            tokio::time::sleep(step).await;
            let Some(table) = table.upgrade() else { return };
            table.end_idle();
        }
    });
}
