//! What every HTTP client of this library needs to know.

use reqwest::Url;

/// What we say that we are.
pub(crate) const USER_AGENT: &str = concat!("genkit-rust/", env!("CARGO_PKG_VERSION"));

/// Clients need to know how to encrypt; the first in the program decides.
pub(crate) fn install_crypto() {
    if rustls::crypto::CryptoProvider::get_default().is_none() {
        // Another thread may be first: its choice is as good.
        let _ = rustls::crypto::ring::default_provider().install_default();
    }
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
