//! From the JSON and the events of the Messages API to a response.

mod answer;
mod parts;
mod stream;

pub(super) use answer::{decode, decode_count, is_paused};
pub(super) use stream::MessageStream;
