//! URLs without their secret parts.

use reqwest::Url;

/// Returns the scheme, host, port and path, without user, password, query and fragment.
pub(crate) fn without_secrets(url: &Url) -> Url {
    let mut url = url.clone();
    url.set_query(None);
    url.set_fragment(None);
    // Neither can fail if there is a host; without a host there is nothing to remove.
    let _ = url.set_username("");
    let _ = url.set_password(None);
    url
}
