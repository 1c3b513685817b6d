//! The common configuration of the HTTP clients of this library.

pub mod pool;

use std::error::Error as StdError;
use std::time::Duration;

use reqwest::{Client, ClientBuilder, Url};

use genkit_core::internal::error::Topic;
use genkit_core::{ErrorKind, Result};

/// The user agent of all requests.
pub const USER_AGENT: &str = concat!("genkit-rust/", env!("CARGO_PKG_VERSION"));

/// The time limit for establishing a connection. Default is 10 seconds.
pub const CONNECT_TIMEOUT: Duration = Duration::from_secs(10);

/// The TCP keepalive time: how long a connection is silent before it is probed. Default is 60
/// seconds.
pub const KEEPALIVE: Duration = Duration::from_secs(60);

#[derive(Debug, thiserror::Error)]
enum Error {
    #[error("cannot set up HTTP: {0}")]
    Client(String),
}

impl Topic for Error {
    fn kind(&self) -> ErrorKind {
        ErrorKind::FailedPrecondition
    }
}

/// The kind of client that a URL needs.
#[derive(Clone, Copy, PartialEq, Eq)]
pub struct Route {
    /// Whether certificates are loaded. Loading takes time, so it is done only for `https`.
    tls: bool,
    /// Whether the host is a loopback address, which is never reached through a proxy.
    local: bool,
}

impl Route {
    pub fn to(url: &Url) -> Self {
        Self { tls: url.scheme() == "https", local: is_loopback(url) }
    }
}

/// Returns the builder of a client for `route`. The client does not retry requests or send a
/// `Referer` header.
pub fn client_builder(route: Route) -> ClientBuilder {
    install_crypto();
    let mut builder = Client::builder()
        .user_agent(USER_AGENT)
        .connect_timeout(CONNECT_TIMEOUT)
        .tcp_nodelay(true)
        .retry(reqwest::retry::never())
        .referer(false);
    if !route.tls {
        builder = builder.tls_certs_only([]);
    }
    if route.local {
        builder = builder.no_proxy();
    }
    builder
}

/// Builds the client.
pub fn build_client(builder: ClientBuilder) -> Result<Client> {
    builder.build().map_err(|error| client_error(&error))
}

/// Returns the error for a failed setup of HTTP.
pub fn client_error(error: &(dyn StdError + 'static)) -> genkit_core::Error {
    Error::Client(root_cause(error)).into()
}

/// Returns the text of an error's root cause, the part that users can act on. reqwest's own text would contain the
/// whole URL.
pub fn root_cause(error: &(dyn StdError + 'static)) -> String {
    let mut cause = error;
    while let Some(next) = cause.source() {
        cause = next;
    }
    if cause.is::<reqwest::Error>() {
        return "unknown cause".to_owned();
    }
    cause.to_string()
}

/// Installs a TLS crypto provider for the process if the program has not installed one.
pub fn install_crypto() {
    if rustls::crypto::CryptoProvider::get_default().is_none() {
        // Another thread may have been faster; its choice is equally good.
        let _ = rustls::crypto::ring::default_provider().install_default();
    }
}

/// Returns whether the URL refers to this machine, which is never reached through a proxy.
pub fn is_loopback(url: &Url) -> bool {
    let host = url.host_str().unwrap_or_default();
    let address = host.trim_start_matches('[').trim_end_matches(']');
    match address.parse::<std::net::IpAddr>() {
        Ok(address) => address.is_loopback(),
        Err(_) => host == "localhost" || host.ends_with(".localhost"),
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn loopback_is_recognized() {
        for (url, local) in [
            ("http://localhost:1", true),
            ("http://127.0.0.9", true),
            ("http://[::1]:8", true),
            ("http://api.localhost", true),
            ("https://localhost.example.com", false),
            ("https://127.0.0.1.example.com", false),
            ("http://10.0.0.1", false),
        ] {
            assert_eq!(is_loopback(&url.parse().unwrap()), local, "{url}");
        }
    }
}
