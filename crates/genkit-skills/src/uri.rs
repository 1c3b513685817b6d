//! URIs of files.

use std::fmt::Write as _;

/// The URI of a file by its path with `/`: `skill://acme/refunds/SKILL.md`. What a segment of a URI cannot have is
/// percent-encoded.
///
/// ```
/// assert_eq!(genkit_skills::uri_of("pdf/my forms.md"), "skill://pdf/my%20forms.md");
/// ```
pub fn uri_of(path: &str) -> String {
    let mut uri = String::with_capacity(8 + path.len());
    uri.push_str("skill://");
    for byte in path.bytes() {
        // Unreserved and sub-delims of RFC 3986: what a host name may have, too, where the first segment stands.
        if byte.is_ascii_alphanumeric() || b"-._~!$&'()*+,;=/".contains(&byte) {
            uri.push(char::from(byte));
        } else {
            let _ = write!(uri, "%{byte:02X}");
        }
    }
    uri
}
