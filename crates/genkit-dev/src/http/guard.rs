//! The guard: only programs of this machine drive the server, no web page.

use axum::http::header::ORIGIN;
use axum::http::{HeaderMap, Uri};

use genkit_http_server::internal::AllowedHosts;

/// Why a request is refused.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum Refused {
    /// A name that is not this machine's was made to point here (DNS rebinding).
    Host,
    /// A browser sends for a page. The tools have a server of their own for theirs.
    Origin,
}

impl Refused {
    pub(super) fn text(self) -> &'static str {
        match self {
            Self::Host => "Forbidden: ask for localhost or 127.0.0.1",
            Self::Origin => "Forbidden: web pages may not drive this program",
        }
    }
}

pub(super) fn check(headers: &HeaderMap, uri: &Uri) -> Result<(), Refused> {
    if headers.contains_key(ORIGIN) {
        return Err(Refused::Origin);
    }
    AllowedHosts::new(None).find(headers, uri).map_err(|_| Refused::Host)
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
            assert_eq!(check(&[(HOST, other)]), Err(Refused::Host), "{other}");
        }
        assert_eq!(check(&[]), Err(Refused::Host));
        for page in ["https://evil.example", "http://localhost:4000", "null"] {
            let refused = check(&[(HOST, "localhost:3100"), (ORIGIN, page)]);
            assert_eq!(refused, Err(Refused::Origin), "{page}");
        }
    }
}
