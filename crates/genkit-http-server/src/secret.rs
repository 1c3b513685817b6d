//! Compares secrets in requests in constant time, so that the duration does not reveal them or their length.

use subtle::{Choice, ConstantTimeEq as _};

/// Returns whether `given` is the secret. The duration depends only on the length of `given`. An empty secret never
/// matches.
pub fn matches_secret(given: &[u8], secret: &[u8]) -> bool {
    let mut same = Choice::from(u8::from(given.len() == secret.len() && !secret.is_empty()));
    let mut expected = secret.iter().cycle();
    for byte in given {
        same &= byte.ct_eq(expected.next().unwrap_or(&0));
    }
    same.into()
}
