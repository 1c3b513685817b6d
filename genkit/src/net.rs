//! What every HTTP client of this library needs to know.

use std::time::Duration;

use reqwest::{Client, ClientBuilder, Url};

/// How long a connection may take to be made. Default is 10 seconds.
pub(crate) const CONNECT_TIMEOUT: Duration = Duration::from_secs(10);

/// What we say that we are.
const USER_AGENT: &str = concat!("genkit-rust/", env!("CARGO_PKG_VERSION"));

/// Clients need to know how to encrypt; the first in the program decides.
pub(crate) fn install_crypto() {
    if rustls::crypto::CryptoProvider::get_default().is_none() {
        // Another thread may be first: its choice is as good.
        let _ = rustls::crypto::ring::default_provider().install_default();
    }
}

/// What all clients have in common; `tls`: for an `https` address, `local`: for one of this machine.
pub(crate) fn client_builder(tls: bool, local: bool) -> ClientBuilder {
    install_crypto();
    let builder = Client::builder()
        .user_agent(USER_AGENT)
        .connect_timeout(CONNECT_TIMEOUT)
        .tcp_nodelay(true)
        // A message that was sent twice may be done twice.
        .retry(reqwest::retry::never())
        .referer(false);
    // Certificates are loaded, which takes time, only where they are needed.
    let builder = if tls { builder } else { builder.tls_certs_only([]) };
    // This machine is never reached through a proxy.
    if local { builder.no_proxy() } else { builder }
}

/// Whether it is on this machine, which is never reached through a proxy.
pub(crate) fn is_loopback(url: &Url) -> bool {
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
