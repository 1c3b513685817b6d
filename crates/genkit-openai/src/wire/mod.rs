//! The common parts of OpenAI's two APIs: servers, strict schemas, content, tool calls and error
//! responses.

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
