//! Decoding of responses and streams of the Messages API.

mod answer;
mod parts;
mod stream;

pub(super) use answer::{decode, decode_count, is_paused};
pub(super) use stream::MessageStream;
