//! HTTP clients: what all of this library have in common.

pub mod pool;

use std::error::Error as StdError;
use std::time::Duration;

use reqwest::{Client, ClientBuilder, Url};

use genkit_core::internal::error::Topic;
use genkit_core::{ErrorKind, Result};

/// The user agent of every request.
pub const USER_AGENT: &str = concat!("genkit-rust/", env!("CARGO_PKG_VERSION"));

/// How long a connection may take to be made. Default is 10 seconds.
pub const CONNECT_TIMEOUT: Duration = Duration::from_secs(10);

/// TCP keepalive: how often a silent connection is probed. Default is 60 seconds.
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

/// Which client an address needs.
#[derive(Clone, Copy, PartialEq, Eq)]
pub struct Route {
    /// Certificates are loaded, which takes time, only where they are needed.
    tls: bool,
    /// This machine is never reached through a proxy.
    local: bool,
}

impl Route {
    pub fn to(url: &Url) -> Self {
        Self { tls: url.scheme() == "https", local: is_loopback(url) }
    }
}

/// The builder of a client for `route`. Nothing is sent twice, and nobody is told where a request came from.
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

/// The client that `builder` describes.
pub fn build_client(builder: ClientBuilder) -> Result<Client> {
    builder.build().map_err(|error| no_client(&error))
}

/// HTTP cannot be set up, for a reason.
pub fn no_client(error: &(dyn StdError + 'static)) -> genkit_core::Error {
    Error::Client(root_cause(error)).into()
}

/// The root cause of an error, which is what people can act on; reqwest's own text would name the whole URL.
pub fn root_cause(error: &(dyn StdError + 'static)) -> String {
    let mut cause = error;
    while let Some(next) = cause.source() {
        cause = next;
    }
    if cause.is::<reqwest::Error>() {
        return "no cause is known".to_owned();
    }
    cause.to_string()
}

/// The TLS provider of the process, where the program has set none.
pub fn install_crypto() {
    if rustls::crypto::CryptoProvider::get_default().is_none() {
        // Another thread may be first: its choice is as good.
        let _ = rustls::crypto::ring::default_provider().install_default();
    }
}

/// Whether it is on this machine, which is never reached through a proxy.
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
    fn loopback_is_told_apart() {
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
