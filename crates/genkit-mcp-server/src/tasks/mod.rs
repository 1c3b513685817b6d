//! Tasks: tool calls that continue after their request, as in MCP's extension `io.modelcontextprotocol/tasks`.
//!
//! A task is a durable run of one call. It is kept in the program's store, or in memory. The server that works on it
//! holds its lease, and results of `once` are saved immediately. Every server that uses the same store answers requests
//! about its tasks.
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
#[cfg(test)]
mod tests;
mod wire;

pub(super) use self::begin::{BegunCall, begin};
pub(super) use self::methods::{TaskAnswer, TaskCall, answer};
pub(super) use self::sweep::sweep_later;
