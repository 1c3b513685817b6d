//! Items that the sibling crates of genkit use. They are not part of the public API and change without notice.

pub use crate::flow_state::Done;
pub use crate::journal::{CallJournal, Note, NoteContent};
pub use crate::limits::{LEASE, MAX_ENDED_PROCESSES};
pub use crate::memory::MemoryRuns;
pub use crate::session::LeasedRun;
pub use crate::unreadable::SkippedRuns;
pub mod runs {
    pub use crate::runs::{durable_flow, durable_run, find_durable_flow, find_durable_run};
}
