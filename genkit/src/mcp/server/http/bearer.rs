//! The bearer token that every request must carry, if one is set.

use http::HeaderMap;
use http::header::AUTHORIZATION;

use crate::http_server::is_the_secret;

pub(crate) struct BearerToken(Option<String>);

impl BearerToken {
    pub(crate) fn new(token: Option<&str>) -> Self {
        Self(token.map(str::to_owned))
    }

    pub(crate) fn allows(&self, headers: &HeaderMap) -> bool {
        let Some(token) = &self.0 else { return true };
        let given = headers.get(AUTHORIZATION).and_then(|value| value.to_str().ok());
        let given = given.and_then(|value| {
            let (scheme, token) = value.split_once(' ')?;
            scheme.eq_ignore_ascii_case("bearer").then_some(token.trim())
        });
        given.is_some_and(|given| is_the_secret(given.as_bytes(), token.as_bytes()))
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_token_is_compared_whole() {
        let bearer = BearerToken::new(Some("secret"));
        for (given, allowed) in [
            ("Bearer secret", true),
            ("bearer secret", true),
            ("Bearer secre", false),
            ("Bearer secrets", false),
            ("Basic secret", false),
        ] {
            let headers = HeaderMap::from_iter([(AUTHORIZATION, given.parse().expect("a value"))]);
            assert_eq!(bearer.allows(&headers), allowed, "{given}");
        }
        assert!(!bearer.allows(&HeaderMap::new()));
        assert!(BearerToken::new(None).allows(&HeaderMap::new()));
    }
}
