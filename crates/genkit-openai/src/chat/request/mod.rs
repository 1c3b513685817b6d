//! Encoding of requests for chat completions.

mod body;
mod message_param;
mod messages;
mod settings;
mod tools;

pub(super) use body::encode_body;
