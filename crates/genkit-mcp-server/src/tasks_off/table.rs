//! The table of tasks without the feature `durable`, which is always empty.

use crate::instance::ServedInstance;
use crate::quota::ClientKey;

/// Whether calls can become tasks.
pub(crate) const CAN_RUN_TASKS: bool = false;

/// The empty table.
pub(crate) struct Tasks;

impl Tasks {
    pub(crate) fn of_instance(_: &ServedInstance) -> Self {
        Self
    }

    #[expect(clippy::unused_self, reason = "has the signature of the tasks with the feature")]
    pub(crate) fn has_room(&self, _: &ClientKey) -> bool {
        false
    }

    #[expect(clippy::unused_async, reason = "has the signature of the tasks with the feature")]
    pub(crate) async fn stop(&self) {}
}
