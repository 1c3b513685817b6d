//! The `Origin` check: which web pages can call the server.

use axum::http::header::{HOST, ORIGIN};
use axum::http::{HeaderMap, Uri};

use super::host_port::HostPort;

/// The allowed origins in addition to the server's own.
pub(crate) struct AllowedOrigins(pub(crate) Vec<String>);

impl AllowedOrigins {
    /// Returns whether a web page of this origin can call the server: if its origin is listed, if it is the server's
    /// own, or if both the page and the requested host are on loopback.
    pub(crate) fn allow(&self, headers: &HeaderMap, uri: &Uri) -> bool {
        let mut origins = headers.get_all(ORIGIN).iter();
        let Some(origin) = origins.next() else { return true };
        if origins.next().is_some() {
            return false;
        }
        let Ok(origin) = origin.to_str() else { return false };
        if self.0.iter().any(|allowed| allowed.eq_ignore_ascii_case(origin)) {
            return true;
        }
        let Some((scheme, authority)) = origin.split_once("://") else { return false };
        let host = headers.get(HOST).and_then(|host| host.to_str().ok());
        let Some(host) = host.or_else(|| uri.authority().map(|a| a.as_str())) else { return false };
        let (Some(page), Some(server)) = (HostPort::parse(authority), HostPort::parse(host)) else {
            return false;
        };
        match scheme {
            "http" | "https" if page.is_loopback() && server.is_loopback() => true,
            "https" => page == server,
            // A port serves either HTTP or HTTPS, so a page with the same explicit port is the server's own. Without a
            // port the page is from port 80, but the server is most likely on 443.
            "http" => page == server && page.port.is_some(),
            _ => false,
        }
    }
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
    fn foreign_origins_are_rejected() {
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
            ("http://[::1].evil.example", "localhost:8000", false),
            ("http://[::1]evil", "localhost:8000", false),
            ("http://127.0.0.1:80@evil.example", "localhost:8000", false),
            ("http://127.0.0.1.evil.example", "localhost:8000", false),
            ("file://localhost", "localhost:8000", false),
            ("http://mcp.example.com", "mcp.example.com", false),
            ("http://app.example", "mcp.example.com", false),
            ("http://mcp.example.com:8000", "mcp.example.com:8000", true),
            ("https://mcp.example.com:8000", "MCP.example.com:8000", true),
            ("https://mcp.example.com:8001", "mcp.example.com:8000", false),
            ("https://mcp.example.com", "", false),
        ] {
            let headers = headers(&[("origin", origin), ("host", host)]);
            let uri = Uri::from_static("/mcp");
            let origins = AllowedOrigins(vec!["https://app.example".to_owned()]);
            assert_eq!(origins.allow(&headers, &uri), allowed, "{origin} at {host}");
        }
    }
}
