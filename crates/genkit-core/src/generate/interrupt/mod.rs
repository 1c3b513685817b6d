//! Interrupts: tool calls that ask somebody (human in the loop), and how a run goes on from them.

mod question;
mod resume;
mod suspended;

pub use resume::resume;
pub use resume::{CallState, Resumed, begun, calls_of};
pub use suspended::{
    CALL_KEY, Suspended, close, note_replaced_input, pending_answer, replace_input, set_pending,
};

pub use question::{Answer, Interrupt};
pub use resume::Resume;
