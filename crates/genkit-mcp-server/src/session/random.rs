//! Random bytes from the operating system.

/// Returns cryptographically secure random bytes.
///
/// # Panics
/// Panics if the operating system has no random source, since no state could be sealed securely.
pub(crate) fn random_bytes<const N: usize>() -> [u8; N] {
    let mut bytes = [0; N];
    getrandom::fill(&mut bytes).expect("the system has a random source");
    bytes
}

#[cfg(test)]
mod tests {
    use super::random_bytes;

    #[test]
    fn all_bytes_are_random() {
        let (one, other) = (random_bytes::<1000>(), random_bytes::<1000>());
        assert!(one != other);
        // Each of these ranges can be zero with a probability of 2^-64.
        assert!(one[..8] != [0; 8] && one[992..] != [0; 8]);
    }
}
