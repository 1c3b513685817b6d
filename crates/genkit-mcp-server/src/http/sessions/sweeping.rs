//! The task that ends idle sessions.

use std::sync::Arc;
use std::time::Duration;

use super::SessionTable;

/// How often is looked, unless a session may be idle for less. Default is 5 seconds.
const STEP: Duration = Duration::from_secs(5);

/// Begins it; it ends with the table.
pub(super) fn begin(table: &Arc<SessionTable>) {
    // Not without a pause.
    let step = STEP.min(Duration::from_millis(table.idle.max(100)));
    let table = Arc::downgrade(table);
    tokio::spawn(async move {
        loop {
            tokio::time::sleep(step).await;
            let Some(table) = table.upgrade() else { return };
            table.sweep();
        }
    });
}
