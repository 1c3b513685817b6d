//! Decoding of responses and streams of the Messages API.

mod error;
mod parts;
mod stream;
mod whole;

pub(super) use error::decode_error;
pub(super) use stream::MessageStream;
pub(super) use whole::{decode_count, decode_response, is_paused};
