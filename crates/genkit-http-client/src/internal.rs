//! Items that the sibling crates of genkit use. They are not part of the public API and change without notice.

pub mod net {
    pub use crate::net::*;
}
pub mod sse {
    pub use crate::sse::{SseError, SseEvent, SseParser};
}
