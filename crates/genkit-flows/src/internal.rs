//! Items that the sibling crates of genkit use. They are not part of the public API and change without notice.

pub use crate::server::{action_context, default_place, flow_request, frame};
