//! HMAC-SHA256 (RFC 2104), on top of the hash function that rmcp already depends on.

use std::hint::black_box;

use sha2::{Digest as _, Sha256};

/// The length of a tag, in bytes.
pub(super) const TAG: usize = 32;

/// The block length of the hash, in bytes.
const BLOCK: usize = 64;

/// An HMAC computation in progress.
pub(super) struct Hmac {
    inner: Sha256,
    outer: Sha256,
}

impl Hmac {
    pub(super) fn new(key: &[u8]) -> Self {
        let hashed: [u8; TAG];
        let key = if key.len() > BLOCK {
            hashed = Sha256::digest(key).into();
            &hashed[..]
        } else {
            key
        };
        let mut block = [0; BLOCK];
        block[..key.len()].copy_from_slice(key);
        let keyed = |pad: u8| {
            let mut hash = Sha256::new();
            hash.update(block.map(|byte| byte ^ pad));
            hash
        };
        Self { inner: keyed(0x36), outer: keyed(0x5c) }
    }

    pub(super) fn update(&mut self, bytes: impl AsRef<[u8]>) {
        self.inner.update(bytes.as_ref());
    }

    pub(super) fn finalize(mut self) -> [u8; TAG] {
        self.outer.update(self.inner.finalize());
        self.outer.finalize().into()
    }

    /// Returns whether `tag` matches, in constant time.
    pub(super) fn verifies(self, tag: &[u8; TAG]) -> bool {
        let own = self.finalize();
        let differing =
            own.iter().zip(tag).fold(0, |bits, (one, other)| black_box(bits | (one ^ other)));
        black_box(differing) == 0
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    /// Test cases 1, 2, 3 and 6 of RFC 4231.
    #[test]
    fn the_tag_is_that_of_the_standard() {
        let cases: [(&[u8], &[u8], &str); 4] = [
            (
                &[0x0b; 20],
                b"Hi There",
                "b0344c61d8db38535ca8afceaf0bf12b881dc200c9833da726e9376c2e32cff7",
            ),
            (
                b"Jefe",
                b"what do ya want for nothing?",
                "5bdcc146bf60754e6a042426089575c75a003f089d2739839dec58b964ec3843",
            ),
            (
                &[0xaa; 20],
                &[0xdd; 50],
                "773ea91e36800e46854db8ebd09181a72959098b3ef8c122d9635514ced565fe",
            ),
            (
                &[0xaa; 131],
                b"Test Using Larger Than Block-Size Key - Hash Key First",
                "60e431591ee0b67f0d8a26aacbf5b77f8e0bc6213728c5140546040f0ee37f54",
            ),
        ];
        for (key, data, expected) in cases {
            let mac = || {
                let mut mac = Hmac::new(key);
                mac.update(data);
                mac
            };
            let tag = mac().finalize();
            let hex: String = tag.iter().map(|byte| format!("{byte:02x}")).collect();
            assert_eq!(hex, expected);
            assert!(mac().verifies(&tag));
            let mut other = tag;
            other[31] ^= 1;
            assert!(!mac().verifies(&other));
        }
    }
}
