//! What OpenAI's two APIs have in common: servers, strict schemas, content, calls, error replies.

#[cfg(feature = "openai")]
pub(crate) mod calls;
#[cfg(feature = "openai")]
pub(crate) mod content_part;
#[cfg(feature = "openai")]
pub(crate) mod effort;
#[cfg(feature = "openai")]
pub(crate) mod error;
#[cfg(feature = "openai")]
pub(crate) mod error_reply;
#[cfg(feature = "openai")]
pub(crate) mod models;
#[cfg(feature = "openai")]
pub(crate) mod output_format;
#[cfg(feature = "openai")]
pub(crate) mod schema;
#[cfg_attr(not(feature = "openai"), allow(dead_code, reason = "only the names are read"))]
pub(crate) mod servers;
#[cfg(feature = "openai")]
pub(crate) mod settings;
#[cfg(feature = "openai")]
pub(crate) mod stream_event;
#[cfg(feature = "openai")]
pub(crate) mod target;
#[cfg(feature = "openai")]
pub(crate) mod tool_call_ids;
