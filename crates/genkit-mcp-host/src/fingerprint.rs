//! Short hashes of strings that are stable across processes.

/// Returns the 64-bit FNV-1a hash of all `texts`. It is not collision resistant, so do not use it for secrets.
pub(crate) fn hash_texts(texts: &[&str]) -> String {
    let mut hash = 0xcbf2_9ce4_8422_2325_u64;
    for text in texts {
        // Terminate each text with a byte that UTF-8 does not use, so that the hash depends on the boundaries.
        for byte in text.bytes().chain([0xff]) {
            hash = (hash ^ u64::from(byte)).wrapping_mul(0x0000_0100_0000_01b3);
        }
    }
    format!("{hash:016x}")
}

#[cfg(test)]
mod tests {
    use super::hash_texts;

    #[test]
    fn borders_count_and_processes_agree() {
        assert_ne!(hash_texts(&["ab", "c"]), hash_texts(&["a", "bc"]));
        assert_eq!(hash_texts(&["a"]), hash_texts(&["a"]));
    }
}
