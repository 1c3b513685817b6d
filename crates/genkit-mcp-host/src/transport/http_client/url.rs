//! Addresses without what may be secret in them.

use reqwest::Url;

/// Scheme, host, port and path: no user, no password, no query, no fragment.
pub(crate) fn without_secrets(url: &Url) -> Url {
    let mut url = url.clone();
    url.set_query(None);
    url.set_fragment(None);
    // Neither can fail for what has a host, and without a host there is nothing to take out.
    let _ = url.set_username("");
    let _ = url.set_password(None);
    url
}
