//! Data URLs.

/// Media type and data of a `data:` URL.
pub(crate) fn split(url: &str) -> Option<(&str, &str)> {
    let (head, data) = url.strip_prefix("data:")?.split_once(',')?;
    Some((head.split(';').next().unwrap_or_default(), data))
}
