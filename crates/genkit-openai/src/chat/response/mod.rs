//! Decoding of chat completions, complete or streamed.

mod body;
mod calls;
mod finish_reason;
mod stream;
mod whole;

pub(super) use stream::ChatStream;
pub(super) use whole::decode_response;
