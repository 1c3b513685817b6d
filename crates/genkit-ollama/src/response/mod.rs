//! Decoding of responses and streams of `/api/chat`.

pub(crate) mod error;
mod stream;
mod whole;

pub(super) use stream::OllamaStream;
pub(super) use whole::decode_response;
