//! Answers: whole, or as a stream of events.

mod answer;
mod item;
mod reply;
mod stream;

pub(super) use answer::{decode, decode_count};
pub(super) use stream::ResponsesStream;
