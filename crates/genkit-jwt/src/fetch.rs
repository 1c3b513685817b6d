//! Fetches the keys of an issuer, with limits on size and time and without following redirects.

use std::time::Duration;

use reqwest::Url;
use reqwest::redirect::Policy;
use serde_json::Value;

use crate::error::KeyError;
use crate::jwk::KeySet;
use genkit_core::internal::bounded_json::parse_bounded;
use genkit_core::internal::visible;
use genkit_http_client::internal::net::{
    Route, build_client, client_builder, is_loopback, root_cause,
};

/// The time limit for fetching one document. Default is 5 seconds.
const FETCH_TIMEOUT: Duration = Duration::from_secs(5);

/// The maximum size of one document, in bytes. Default is 256 KiB.
const MAX_DOCUMENT: usize = 256 * 1024;

/// The maximum length of an issuer in an error, in characters. Default is 200.
const MAX_ISSUER: usize = 200;

/// The URL from which keys are fetched.
#[derive(Clone, Debug)]
pub(crate) enum FetchUrl {
    /// The JWK set itself.
    Jwks(Url),
    /// The issuer, whose metadata contains the URL of the JWK set.
    Issuer { issuer: String, url: Url },
}

/// Parses a URL from which keys can be fetched: `https://`, or `http://` on this machine.
pub(crate) fn key_url(text: &str) -> Result<Url, KeyError> {
    let url = Url::parse(text)
        .ok()
        .filter(|url| url.scheme() == "https" || (url.scheme() == "http" && is_loopback(url)));
    url.ok_or_else(|| KeyError::Address(text.to_owned()))
}

impl FetchUrl {
    pub(crate) async fn fetch_keys(&self) -> Result<KeySet, KeyError> {
        let jwks = match self {
            Self::Jwks(url) => url.clone(),
            Self::Issuer { issuer, url } => jwks_uri(issuer, url).await?,
        };
        KeySet::read(&get_json(&jwks).await?)
    }
}

/// Reads the URL of the JWK set from the metadata of an issuer.
async fn jwks_uri(issuer: &str, url: &Url) -> Result<Url, KeyError> {
    let [first, second] = metadata_urls(url);
    let (url, metadata) = match get_json(&first).await {
        Ok(metadata) => (first, metadata),
        Err(KeyError::Status { .. }) => {
            let metadata = get_json(&second).await?;
            (second, metadata)
        }
        Err(fault) => return Err(fault),
    };
    let found = metadata["issuer"].as_str().unwrap_or_default();
    if found != issuer {
        return Err(KeyError::OtherIssuer { url: url.into(), found: shown_issuer(found) });
    }
    let jwks = metadata["jwks_uri"].as_str().and_then(|text| key_url(text).ok());
    jwks.ok_or_else(|| KeyError::MissingJwksUri { url: url.into() })
}

/// Returns an issuer from a document for an error.
fn shown_issuer(issuer: &str) -> String {
    visible::escape_line(&issuer.chars().take(MAX_ISSUER).collect::<String>()).into_owned()
}

/// Returns the URLs of the metadata: RFC 8414 inserts the well-known path before the path of the
/// issuer, OpenID Connect appends it.
fn metadata_urls(issuer: &Url) -> [Url; 2] {
    let path = issuer.path().trim_end_matches('/');
    let with_path = |path: &str| {
        let mut url = issuer.clone();
        url.set_path(path);
        url.set_query(None);
        url.set_fragment(None);
        url
    };
    [
        with_path(&format!("/.well-known/oauth-authorization-server{path}")),
        with_path(&format!("{path}/.well-known/openid-configuration")),
    ]
}

async fn get_json(url: &Url) -> Result<Value, KeyError> {
    let unreachable = |why| KeyError::Unreachable { url: url.to_string(), why };
    let builder = client_builder(Route::to(url)).redirect(Policy::none()).timeout(FETCH_TIMEOUT);
    let client = build_client(builder).map_err(|error| unreachable(error.to_string()))?;
    let request = client.get(url.clone()).header("accept", "application/json");
    let broken = |error: reqwest::Error| {
        let late = || format!("no response within {FETCH_TIMEOUT:?}");
        unreachable(if error.is_timeout() { late() } else { root_cause(&error) })
    };
    let mut response = request.send().await.map_err(broken)?;
    if response.status() != 200 {
        let status = response.status().as_u16();
        return Err(KeyError::Status { url: url.to_string(), status });
    }
    let mut document = Vec::new();
    while let Some(piece) = response.chunk().await.map_err(broken)? {
        document.extend_from_slice(&piece);
        if document.len() > MAX_DOCUMENT {
            return Err(KeyError::Long { url: url.to_string(), limit: MAX_DOCUMENT });
        }
    }
    let read = parse_bounded(&document).ok().filter(Value::is_object);
    read.ok_or_else(|| KeyError::NotObject { url: url.to_string() })
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn metadata_is_served_at_both_standard_paths() {
        let urls =
            |issuer: &str| metadata_urls(&issuer.parse().expect("an address")).map(String::from);
        assert_eq!(
            urls("https://a.example/tenant/1"),
            [
                "https://a.example/.well-known/oauth-authorization-server/tenant/1",
                "https://a.example/tenant/1/.well-known/openid-configuration"
            ]
        );
        assert_eq!(
            urls("https://a.example/"),
            [
                "https://a.example/.well-known/oauth-authorization-server",
                "https://a.example/.well-known/openid-configuration"
            ]
        );
    }

    #[test]
    fn other_issuer_is_shown_escaped_and_cut() {
        assert_eq!(shown_issuer("https://a.example"), "https://a.example");
        let shown = shown_issuer(&format!("\u{1b}[2J{}", "x".repeat(1000)));
        assert!(!shown.contains('\u{1b}') && shown.len() < 300, "{shown}");
    }

    #[test]
    fn keys_come_over_tls_or_from_this_machine() {
        for (url, is_one) in [
            ("https://a.example/jwks", true),
            ("http://127.0.0.1:1/jwks", true),
            ("http://a.example/jwks", false),
            ("file:///etc/passwd", false),
            ("jwks", false),
        ] {
            assert_eq!(key_url(url).is_ok(), is_one, "{url}");
        }
    }
}
