//! The URIs of files.

use std::fmt::Write as _;

/// Returns the URI of a file, given its path with `/` as the separator: `skill://acme/refunds/SKILL.md`. Characters
/// that are not allowed in a segment are percent-encoded.
///
/// ```
/// assert_eq!(genkit_skills::skill_uri("pdf/my forms.md"), "skill://pdf/my%20forms.md");
/// ```
pub fn skill_uri(path: &str) -> String {
    let mut uri = String::with_capacity(8 + path.len());
    uri.push_str("skill://");
    for byte in path.bytes() {
        // Unreserved characters and sub-delims of RFC 3986. They are also valid in a host name, the position of the
        // first segment.
        if byte.is_ascii_alphanumeric() || b"-._~!$&'()*+,;=/".contains(&byte) {
            uri.push(char::from(byte));
        } else {
            let _ = write!(uri, "%{byte:02X}");
        }
    }
    uri
}
