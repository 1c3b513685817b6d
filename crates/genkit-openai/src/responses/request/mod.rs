//! Encoding of requests for the Responses API.

mod body;
mod item;
mod messages;
mod reasoning;
mod settings;
mod tool_search;
mod tools;

pub(super) use body::{count_body, encode_body};
