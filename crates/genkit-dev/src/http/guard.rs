//! Access checks: only programs on this machine can control the server, and web pages cannot.

use axum::http::header::ORIGIN;
use axum::http::{HeaderMap, Uri};

use genkit_http_server::internal::AllowedHosts;

/// The reason why a request is rejected.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum GuardRejection {
    /// The host is not this machine: a foreign host name may point here (DNS rebinding).
    Host,
    /// A web page sent the request. The Developer UI sends its requests through the server of the
    /// CLI.
    Origin,
}

impl GuardRejection {
    pub(super) fn message(self) -> &'static str {
        match self {
            Self::Host => "Forbidden: use localhost or 127.0.0.1 as the host",
            Self::Origin => "Forbidden: web pages are not allowed to control this program",
        }
    }
}

pub(super) fn check(headers: &HeaderMap, uri: &Uri) -> Result<(), GuardRejection> {
    if headers.contains_key(ORIGIN) {
        return Err(GuardRejection::Origin);
    }
    AllowedHosts::new(None).find(headers, uri).map_err(|_| GuardRejection::Host)
}

#[cfg(test)]
mod tests {
    use axum::http::header::HOST;

    use super::*;

    #[test]
    fn only_this_machine_is_answered_for_and_no_page() {
        let uri = Uri::from_static("/api/actions");
        let check = |pairs: &[(axum::http::HeaderName, &str)]| {
            let headers = pairs.iter().map(|(name, value)| (name.clone(), value.parse().unwrap()));
            check(&headers.collect(), &uri)
        };
        for here in ["localhost:3100", "LOCALHOST", "127.0.0.1:3100", "[::1]:3100"] {
            assert_eq!(check(&[(HOST, here)]), Ok(()), "{here}");
        }
        for other in ["evil.example:3100", "localhost.evil.example", "user@localhost", "", "a b"] {
            assert_eq!(check(&[(HOST, other)]), Err(GuardRejection::Host), "{other}");
        }
        assert_eq!(check(&[]), Err(GuardRejection::Host));
        for page in ["https://evil.example", "http://localhost:4000", "null"] {
            let refused = check(&[(HOST, "localhost:3100"), (ORIGIN, page)]);
            assert_eq!(refused, Err(GuardRejection::Origin), "{page}");
        }
    }
}
