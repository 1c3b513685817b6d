//! Requests: chat completions as they are sent.

mod body;
mod content_part;
mod message_param;
mod messages;
mod settings;
mod tool_call_ids;
mod tools;

pub(super) use body::body;
