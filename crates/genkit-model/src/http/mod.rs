//! HTTP for every provider: a shared driver sends the requests that a
//! [`WireFormat`](super::wire::WireFormat) encodes, and passes the responses to it for decoding.
//!
//! A call is sent once; the caller decides whether to retry it. Errors name the provider and the
//! host but not the URL, and secrets are redacted.
//!
//! | limit | default |
//! |---|---|
//! | timeout of a whole call | 10 minutes ([`ProviderSettings::timeout`]) |
//! | timeout for connecting | 10 seconds |
//! | silence in a stream | no limit, because a model may think for minutes |
//! | size of a response | 64 MiB |

mod builder;
mod cassette;
mod direct;
mod download;
mod driver;
mod embedder;
mod endpoint;
mod error;
mod exchange;
mod intercept;
mod prepared;
mod property_names;
mod reach;
mod redact;
mod response;
mod settings;
mod status;

#[cfg(test)]
mod tests;

pub use cassette::Cassette;
pub use download::download;
pub use driver::HttpModel;
pub use embedder::{EmbedBatch, EmbedWire, HttpEmbedder};
pub use endpoint::ApiEndpoint;
pub use error::Error;
pub use intercept::{Interception, Interceptor, Observer, OutgoingCall, StoredResponse};
pub use reach::forbid_network;
pub(crate) use redact::Secrets;
pub use settings::{ProviderSettings, bearer_headers, env_var};
pub use status::{error_text, is_web_page, kind_of_status, message_text, with_reported};
