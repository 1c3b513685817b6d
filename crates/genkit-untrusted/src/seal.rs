//! Sealed text, which clients can store and read but not modify.
//!
//! The seal is an HMAC-SHA256 over the content, its expiry, and a binding that is not part of the text.

use std::fmt;
use std::time::{Duration, SystemTime, UNIX_EPOCH};

use base64::Engine as _;
use base64::engine::general_purpose::URL_SAFE_NO_PAD;
use hmac::{Hmac, KeyInit as _, Mac as _};
use sha2::Sha256;

/// The length of a tag, in bytes.
pub const TAG: usize = 32;

/// The minimum length of a key, in bytes: the length of the hash (RFC 2104, section 3).
pub const MIN_KEY: usize = TAG;

/// The length of the expiry, in bytes: Unix milliseconds.
pub const EXPIRY: usize = 8;

/// Seals and opens strings with one key.
pub struct Seal {
    /// The MAC state after the key and the domain.
    keyed: Hmac<Sha256>,
}

/// The reason why a sealed string cannot be opened.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum SealError {
    /// The text does not have the format of a seal.
    Malformed,
    /// The text was modified, sealed with another key, or bound to another value.
    Forged,
    Expired,
}

impl Seal {
    /// Creates a seal with a key of at least [`MIN_KEY`] bytes. The seal opens only text of the same `domain`.
    pub fn new(key: &[u8], domain: &[u8]) -> Self {
        let mut keyed = Hmac::new_from_slice(key).expect("HMAC takes keys of any length");
        keyed.update(domain);
        Self { keyed }
    }

    /// Seals `content` for `ttl`, bound to `bound_to`.
    pub fn seal_text(&self, content: &[u8], bound_to: &[u8], ttl: Duration) -> String {
        let expiry = millis(SystemTime::now() + ttl);
        let mut sealed = vec![0; TAG];
        sealed.extend_from_slice(&expiry.to_be_bytes());
        sealed.extend_from_slice(content);
        let tag = self.new_mac(bound_to, &sealed[TAG..]).finalize().into_bytes();
        sealed[..TAG].copy_from_slice(&tag);
        URL_SAFE_NO_PAD.encode(sealed)
    }

    /// Returns the content, if the text was sealed with this key and bound to the same value.
    pub fn open_text(&self, text: &str, bound_to: &[u8]) -> Result<Vec<u8>, SealError> {
        let mut sealed = URL_SAFE_NO_PAD.decode(text).map_err(|_| SealError::Malformed)?;
        let (tag, body) = sealed.split_first_chunk::<TAG>().ok_or(SealError::Malformed)?;
        let (expiry, _) = body.split_first_chunk::<EXPIRY>().ok_or(SealError::Malformed)?;
        let expiry = u64::from_be_bytes(*expiry);
        // `verify` runs in constant time.
        if self.new_mac(bound_to, body).verify(tag.into()).is_err() {
            return Err(SealError::Forged);
        }
        if millis(SystemTime::now()) >= expiry {
            return Err(SealError::Expired);
        }
        Ok(sealed.split_off(TAG + EXPIRY))
    }

    /// Returns a digest of `text` that is the same in every process with this key, and that does not reveal the text.
    pub fn digest_text(&self, purpose: &[u8], text: &[u8]) -> String {
        URL_SAFE_NO_PAD.encode(self.new_mac(purpose, text).finalize().into_bytes())
    }

    fn new_mac(&self, bound_to: &[u8], body: &[u8]) -> Hmac<Sha256> {
        let mut mac = self.keyed.clone();
        // The length is included, so that the boundary between the binding and the body is unambiguous.
        mac.update(&(bound_to.len() as u64).to_be_bytes());
        mac.update(bound_to);
        mac.update(body);
        mac
    }
}

impl fmt::Debug for Seal {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str("Seal(..)")
    }
}

fn millis(time: SystemTime) -> u64 {
    let since = time.duration_since(UNIX_EPOCH).unwrap_or_default();
    u64::try_from(since.as_millis()).unwrap_or(u64::MAX)
}
