//! Decoding of responses, complete or streamed.

mod answer;
mod item;
mod reply;
mod stream;

pub(super) use answer::{decode, decode_count};
pub(super) use stream::ResponsesStream;
