//! Decoding of responses and streams of the Messages API.

mod error;
mod parts;
mod stream;
mod whole;

pub(super) use error::failure;
pub(super) use stream::MessageStream;
pub(super) use whole::{decode, decode_count, is_paused};
