//! The `Origin` check: which web pages may call.

use axum::http::header::{HOST, ORIGIN};
use axum::http::{HeaderMap, Uri};

/// The origins that may call beside the server's own.
pub(crate) struct AllowedOrigins(pub(crate) Vec<String>);

impl AllowedOrigins {
    /// Whether a web page of this origin may call: one that is named, the server's own, or one
    /// of this machine where the server is called by a name of this machine.
    pub(crate) fn allow(&self, headers: &HeaderMap, uri: &Uri) -> bool {
        let Some(origin) = headers.get(ORIGIN) else { return true };
        let Ok(origin) = origin.to_str() else { return false };
        if self.0.iter().any(|allowed| allowed.eq_ignore_ascii_case(origin)) {
            return true;
        }
        let Some((_, authority)) = origin.split_once("://") else { return false };
        let host = headers.get(HOST).and_then(|host| host.to_str().ok());
        let Some(host) = host.or_else(|| uri.authority().map(|a| a.as_str())) else { return false };
        authority.eq_ignore_ascii_case(host) || (is_loopback(authority) && is_loopback(host))
    }
}

/// Whether an authority (`host` or `host:port`) is this machine.
fn is_loopback(authority: &str) -> bool {
    let host = match authority.strip_prefix('[') {
        Some(rest) => rest.split(']').next().unwrap_or(rest),
        None => authority.split(':').next().unwrap_or(authority),
    };
    host.eq_ignore_ascii_case("localhost")
        || host.parse::<std::net::IpAddr>().is_ok_and(|address| address.is_loopback())
}

#[cfg(test)]
mod tests {
    use super::*;

    fn headers(pairs: &[(&'static str, &str)]) -> HeaderMap {
        let pairs = pairs.iter().map(|(name, value)| {
            let name = axum::http::HeaderName::from_static(name);
            (name, value.parse().expect("a header value"))
        });
        pairs.collect()
    }

    #[test]
    fn origins_of_strangers_are_refused() {
        for (origin, host, allowed) in [
            ("http://localhost:8000", "localhost:8000", true),
            ("http://127.0.0.1:6274", "localhost:8000", true),
            ("http://[::1]:6274", "127.0.0.1:8000", true),
            ("https://mcp.example.com", "mcp.example.com", true),
            ("http://evil.example", "localhost:8000", false),
            ("http://localhost.evil.example", "localhost:8000", false),
            ("http://localhost:8000", "mcp.example.com", false),
            ("https://app.example", "mcp.example.com", true),
            ("null", "localhost:8000", false),
        ] {
            let headers = headers(&[("origin", origin), ("host", host)]);
            let uri = Uri::from_static("/mcp");
            let origins = AllowedOrigins(vec!["https://app.example".to_owned()]);
            assert_eq!(origins.allow(&headers, &uri), allowed, "{origin} at {host}");
        }
    }
}
