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
const TAG: usize = 32;

/// The minimum length of a key, in bytes: the length of the hash (RFC 2104, section 3).
pub const MIN_KEY: usize = TAG;

/// The length of the expiry, in bytes: Unix milliseconds.
const EXPIRY: usize = 8;

/// Seals and opens texts with one key.
pub struct Seal {
    /// Has read the key and the domain.
    keyed: Hmac<Sha256>,
}

/// The reason why a text does not open.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum SealError {
    /// The text does not have the format of a seal.
    Malformed,
    /// The text was modified, sealed with another key, or bound to something else.
    Forged,
    Expired,
}

impl Seal {
    /// Creates a seal with a key of at least [`MIN_KEY`] bytes. Seals of another `domain` do not open with it.
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
        // In constant time.
        if self.new_mac(bound_to, body).verify(tag.into()).is_err() {
            return Err(SealError::Forged);
        }
        if millis(SystemTime::now()) >= expiry {
            return Err(SealError::Expired);
        }
        Ok(sealed.split_off(TAG + EXPIRY))
    }

    /// Returns a digest of `text` that is the same wherever the key is used, and that does not reveal the text.
    pub fn digest_text(&self, purpose: &[u8], text: &[u8]) -> String {
        URL_SAFE_NO_PAD.encode(self.new_mac(purpose, text).finalize().into_bytes())
    }

    fn new_mac(&self, bound_to: &[u8], body: &[u8]) -> Hmac<Sha256> {
        let mut mac = self.keyed.clone();
        // The length comes first, so that the binding cannot run into the body.
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

#[cfg(test)]
mod tests {
    use super::*;

    const HOUR: Duration = Duration::from_secs(3600);

    fn seal(key: u8) -> Seal {
        Seal::new(&[key; MIN_KEY], b"genkit/request-state/1\0")
    }

    #[test]
    fn it_opens_with_its_key_for_what_it_is_bound_to() {
        let sealed = seal(1).seal_text(b"content", b"alice", HOUR);
        assert_eq!(seal(1).open_text(&sealed, b"alice"), Ok(b"content".to_vec()));
        assert_eq!(seal(1).open_text(&sealed, b"bob"), Err(SealError::Forged));
        assert_eq!(seal(2).open_text(&sealed, b"alice"), Err(SealError::Forged));
        let ended = seal(1).seal_text(b"content", b"alice", Duration::ZERO);
        assert_eq!(seal(1).open_text(&ended, b"alice"), Err(SealError::Expired));
    }

    #[test]
    fn no_byte_of_it_can_be_changed() {
        let sealed = URL_SAFE_NO_PAD.decode(seal(1).seal_text(b"ab", b"c", HOUR)).expect("base64");
        for at in 0..sealed.len() {
            for bit in 0..8 {
                let mut other = sealed.clone();
                other[at] ^= 1 << bit;
                let opened = seal(1).open_text(&URL_SAFE_NO_PAD.encode(other), b"c");
                assert_eq!(opened, Err(SealError::Forged), "bit {bit} of byte {at}");
            }
        }
        for length in 0..TAG + EXPIRY {
            let opened = seal(1).open_text(&URL_SAFE_NO_PAD.encode(&sealed[..length]), b"c");
            assert_eq!(opened, Err(SealError::Malformed), "{length} bytes");
        }
        assert_eq!(seal(1).open_text("no base64!", b"c"), Err(SealError::Malformed));
    }

    #[test]
    fn what_it_is_bound_to_does_not_run_into_the_content() {
        let (one, two) = (seal(1).digest_text(b"ab", b"c"), seal(1).digest_text(b"a", b"bc"));
        assert_ne!(one, two);
        assert_eq!(one, seal(1).digest_text(b"ab", b"c"));
    }

    /// Instances of other versions open the same seals.
    #[test]
    fn digest_is_that_of_earlier_versions() {
        assert_eq!(seal(1).digest_text(b"ab", b"c"), "nzPkpi1Wm_W0nClaU47feHu9byqmFZrR44Slg6Hwls8");
    }
}
