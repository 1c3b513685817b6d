//! Decoding of chat completions, complete or streamed.

mod completion;
mod reply;
mod stream;

pub(super) use completion::decode;
pub(super) use stream::ChatStream;
