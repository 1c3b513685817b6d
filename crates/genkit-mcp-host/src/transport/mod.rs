//! Transports to servers: child processes, and streamable HTTP with OAuth.

pub(crate) mod boxed;
pub(crate) mod by_identity;
#[cfg_attr(not(feature = "http"), path = "http_off.rs")]
pub(crate) mod http;
#[cfg(feature = "http")]
pub(crate) mod http_client;
#[cfg(feature = "http")]
pub(crate) mod oauth;
pub(crate) mod redact;
pub(crate) mod request_id;
pub(crate) mod stdio;
