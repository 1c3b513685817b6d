//! Interrupts: tool calls that wait for a user (human in the loop), and how to resume their run.

mod question;
mod resume;
mod suspended;

pub use resume::resume;
pub use resume::{CallState, ResumedCalls, complete_calls, read_resumed};
pub use suspended::{
    CALL_KEY, Suspended, close_request, note_replaced_input, pending_answer, replace_input,
    set_pending,
};

pub use question::{Answer, Interrupt};
pub use resume::Resume;
