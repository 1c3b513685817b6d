//! Who may call: pages by their origin, programs by their token.

use axum::http::header::{AUTHORIZATION, HOST, ORIGIN};
use axum::http::{HeaderMap, Uri};

/// What requests are checked against.
pub(crate) struct Guard {
    pub(crate) origins: Vec<String>,
    pub(crate) bearer: Option<String>,
}

impl Guard {
    /// Whether a web page of this origin may call: one that is named, the server's own, or one
    /// of this machine where the server is called by a name of this machine.
    pub(crate) fn allows_origin(&self, headers: &HeaderMap, uri: &Uri) -> bool {
        let Some(origin) = headers.get(ORIGIN) else { return true };
        let Ok(origin) = origin.to_str() else { return false };
        if self.origins.iter().any(|allowed| allowed.eq_ignore_ascii_case(origin)) {
            return true;
        }
        let Some((_, authority)) = origin.split_once("://") else { return false };
        let host = headers.get(HOST).and_then(|host| host.to_str().ok());
        let Some(host) = host.or_else(|| uri.authority().map(|a| a.as_str())) else { return false };
        authority.eq_ignore_ascii_case(host) || (is_loopback(authority) && is_loopback(host))
    }

    pub(crate) fn allows_bearer(&self, headers: &HeaderMap) -> bool {
        let Some(token) = &self.bearer else { return true };
        let given = headers.get(AUTHORIZATION).and_then(|value| value.to_str().ok());
        let given = given.and_then(|value| {
            let (scheme, token) = value.split_once(' ')?;
            scheme.eq_ignore_ascii_case("bearer").then_some(token.trim())
        });
        given.is_some_and(|given| same(given.as_bytes(), token.as_bytes()))
    }
}

/// Compares in a time that does not tell how much was right.
fn same(a: &[u8], b: &[u8]) -> bool {
    a.len() == b.len() && a.iter().zip(b).fold(0, |differs, (x, y)| differs | (x ^ y)) == 0
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

    fn guard(origins: &[&str]) -> Guard {
        let origins = origins.iter().map(ToString::to_string).collect();
        Guard { origins, bearer: Some("secret".into()) }
    }

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
            let guard = guard(&["https://app.example"]);
            assert_eq!(guard.allows_origin(&headers, &uri), allowed, "{origin} at {host}");
        }
    }

    #[test]
    fn a_token_is_compared_whole() {
        let guard = guard(&[]);
        for (given, allowed) in [
            ("Bearer secret", true),
            ("bearer secret", true),
            ("Bearer secre", false),
            ("Bearer secrets", false),
            ("Basic secret", false),
        ] {
            let headers = headers(&[("authorization", given)]);
            assert_eq!(guard.allows_bearer(&headers), allowed, "{given}");
        }
        assert!(!guard.allows_bearer(&HeaderMap::new()));
    }
}
