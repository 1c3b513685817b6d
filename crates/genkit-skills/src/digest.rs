//! Digests of files.

use std::fmt::Write as _;

use sha2::{Digest as _, Sha256};

/// Returns the digest of a file in the format of MCP: `sha256:` and 64 lowercase hexadecimal digits.
///
/// ```
/// let digest = genkit_skills::sha256_digest(b"");
/// assert_eq!(digest, "sha256:e3b0c44298fc1c149afbf4c8996fb92427ae41e4649b934ca495991b7852b855");
/// ```
pub fn sha256_digest(bytes: &[u8]) -> String {
    let mut text = String::with_capacity(7 + 64);
    text.push_str("sha256:");
    for byte in Sha256::digest(bytes) {
        let _ = write!(text, "{byte:02x}");
    }
    text
}
