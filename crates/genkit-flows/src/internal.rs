//! Items that the sibling crates of genkit use. They are not part of the public API and change without notice.

pub use crate::server::{
    AdmittedRequest, FrameMemory, Gate, GateSettings, Rejection, StartedServer, associated_data,
    check_user_message, create_seal, encode_frame, frames_response, is_readable, masked_error,
};
