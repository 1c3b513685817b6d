//! HTTP for every provider: one driver sends what a [`WireFormat`](super::wire::WireFormat) encodes, and feeds it the
//! response.
//!
//! A call is sent once: whether a retry is worth its price is for the caller to decide. Errors name the provider and
//! the host, never a URL, and secrets are redacted.
//!
//! | limit | default |
//! |---|---|
//! | time for a whole call | 10 minutes ([`ProviderSettings::timeout`]) |
//! | time to connect | 10 seconds |
//! | silence in a stream | none: a model may think for minutes |
//! | size of an answer | 64 MiB |

mod direct;
mod download;
mod driver;
#[cfg(any(feature = "gemini", feature = "ollama", feature = "openai"))]
mod embedder;
mod endpoint;
mod error;
mod exchange;
mod intercept;
mod prepared;
mod reach;
mod redact;
mod response;
mod settings;
mod status;

#[cfg(test)]
mod tests;

pub(crate) use download::download;
pub(crate) use driver::HttpModel;
#[cfg(any(feature = "gemini", feature = "ollama", feature = "openai"))]
pub(crate) use embedder::{EmbedBatch, EmbedWire, HttpEmbedder};
pub(crate) use endpoint::ApiEndpoint;
pub(crate) use error::Error;
pub(crate) use intercept::{Interception, Interceptor, Observer, OutgoingCall, StoredResponse};
pub(crate) use reach::forbid_network;
pub(crate) use redact::Secrets;
#[cfg(any(feature = "ollama", feature = "openai"))]
pub(crate) use settings::bearer_headers;
pub(crate) use settings::{ProviderSettings, env_var};
#[cfg(feature = "openai")]
pub(crate) use status::is_web_page;
#[cfg(any(feature = "anthropic", feature = "gemini", feature = "openai"))]
pub(crate) use status::message_text;
#[cfg(any(feature = "gemini", feature = "openai"))]
pub(crate) use status::seconds;
pub(crate) use status::{error_text, kind_of_status, retry_after};
#[cfg(any(feature = "anthropic", feature = "openai"))]
pub(crate) use status::{should_retry, with_reported};
