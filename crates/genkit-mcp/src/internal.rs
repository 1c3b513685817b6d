//! Items that the sibling crates of genkit use. They are not part of the public API and change without notice.

pub mod client_answer {
    pub use crate::client_answer::*;
}
pub mod content {
    pub use crate::content::*;
}
pub mod error_status {
    pub use crate::error_status::*;
}
pub mod extras {
    pub use crate::extras::*;
}
pub mod fields {
    pub use crate::fields::Fields;
}
pub mod jsonrpc {
    pub use crate::jsonrpc::{
        Envelope, Id, LineStream, LongLine, MAX_ID_BYTES, MAX_NESTING, MAX_VALUES, Member, Outbox,
        Outline, Scanner, has_more_values, nesting,
    };
    pub mod scan {
        pub use crate::jsonrpc::scan::*;
    }
}
pub mod level {
    pub use crate::level::*;
}
pub mod spans {
    pub use crate::spans::{
        Network, NewSent, NewServed, OpenSession, SentSpan, ServedSpan, SessionEnd, Target,
        has_listener, method_name, session_label,
    };
}
pub mod wrapped_result {
    pub use crate::wrapped_result::*;
}
