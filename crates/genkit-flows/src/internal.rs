//! Items that the sibling crates of genkit use. They are not part of the public API and change without notice.

pub use crate::server::{
    Rejection, StartedServer, action_context, flow_request, frame, masked_error,
};
