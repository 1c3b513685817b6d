//! Tasks: tool calls that continue after their request, as in MCP's extension `io.modelcontextprotocol/tasks`.
//!
//! A task is a durable run of one call, in the program's store or in memory. The server that runs it holds its lease,
//! and results of `once` are saved immediately. Every server answers requests about all tasks in its store.
//!
//! ```text
//! tools/call ─ begin ─┬─ finishes or asks in time ─ the normal response
//!                     └─ saved, id returned ─ drive ─┬─ finished ──────┐
//! sweep ─ abandoned tasks ─ resume ──────────────────┤                 ├─ tasks/get, until the task expires
//!                   tasks/update ────────────────────┴─ input_required ┘
//! ```

mod begin;
mod caller;
mod drive;
mod limits;
mod methods;
mod record;
mod resume;
mod rounds;
mod sweep;
pub(crate) mod table;
#[cfg(test)]
mod tests;
mod wire;

use std::sync::Arc;

pub(super) use self::begin::start_task;
pub(super) use self::methods::{TaskCall, answer, read_call};
use self::sweep::sweep_later;
use self::table::Tasks;
use super::instance::ServedInstance;
use super::state::SharedState;
use genkit_core::Result;

/// Accepts all tools that can run as tasks, because the feature `durable` is enabled.
#[expect(clippy::unnecessary_wraps, reason = "fails without the feature `durable`")]
pub(super) fn check_tools(_: &ServedInstance) -> Result<()> {
    Ok(())
}

/// Resumes the tasks in the store, if the server has tools that run as tasks.
pub(super) fn resume_stored(shared: &Arc<SharedState>) -> Arc<Tasks> {
    if shared.makes_tasks() {
        sweep_later(shared);
    }
    Arc::clone(&shared.tasks)
}
