//! Decoding of responses and streams of `generateContent`.

mod body;
mod candidate;
mod error;
mod partial_args;
mod read;
mod stream;
mod whole;

pub(super) use error::decode_error;
pub(super) use stream::GeminiStream;
pub(super) use whole::{decode_count, decode_response};
