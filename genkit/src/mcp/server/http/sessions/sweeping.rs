//! The task that ends idle sessions.

use std::sync::Arc;
use std::time::Duration;

use super::SessionTable;

/// How often is looked.
const STEP: Duration = Duration::from_secs(5);

/// Begins it; it ends with the table.
pub(super) fn begin(table: &Arc<SessionTable>) {
    let table = Arc::downgrade(table);
    tokio::spawn(async move {
        loop {
            tokio::time::sleep(STEP).await;
            let Some(table) = table.upgrade() else { return };
            table.sweep();
        }
    });
}
