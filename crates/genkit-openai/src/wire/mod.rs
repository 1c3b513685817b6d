//! What OpenAI's two APIs have in common: servers, strict schemas, content, calls, error replies.

pub(crate) mod calls;
pub(crate) mod content_part;
pub(crate) mod effort;
pub(crate) mod error;
pub(crate) mod error_reply;
pub(crate) mod models;
pub(crate) mod output_format;
pub(crate) mod schema;
pub(crate) mod servers;
pub(crate) mod settings;
pub(crate) mod stream_event;
pub(crate) mod target;
pub(crate) mod tool_call_ids;
