//! Requests: chat completions as they are sent.

mod body;
mod message_param;
mod messages;
mod settings;
mod tools;

pub(super) use body::body;
