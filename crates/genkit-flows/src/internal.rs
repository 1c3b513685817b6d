//! Items that the sibling crates of genkit use. They are not part of the public API and change without notice.

pub use crate::server::{
    AdmittedRequest, Gate, GateSettings, Rejection, StartedServer, frame, frames_response,
    masked_error,
};
