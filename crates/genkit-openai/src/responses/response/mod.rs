//! Decoding of responses, complete or streamed.

mod body;
mod item;
mod stream;
mod whole;

pub(super) use stream::ResponsesStream;
pub(super) use whole::{decode_count, decode_response};
