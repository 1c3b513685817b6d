//! Responses: chat completions, whole or as a stream.

mod completion;
mod reply;
mod stream;

pub(super) use completion::decode;
pub(super) use stream::ChatStream;
