//! Random bytes from the operating system.

/// Fills `bytes` with cryptographically secure random bytes.
///
/// # Panics
/// Panics if the operating system has no random source, since nothing could be sealed securely.
pub(crate) fn fill(bytes: &mut [u8]) {
    #[cfg(target_os = "linux")]
    fill_from_kernel(bytes);
    #[cfg(not(target_os = "linux"))]
    getrandom::fill(bytes).expect("the system has a random source");
}

/// Uses the system call that Linux has had since 3.17, through `rustix`, which is already a dependency.
#[cfg(target_os = "linux")]
fn fill_from_kernel(mut bytes: &mut [u8]) {
    use rustix::io::Errno;
    use rustix::rand::{GetRandomFlags, getrandom};

    while !bytes.is_empty() {
        match getrandom(&mut *bytes, GetRandomFlags::empty()) {
            Ok(count) => bytes = &mut bytes[count..],
            Err(Errno::INTR) => {}
            Err(why) => panic!("the kernel has no random bytes: {why}"),
        }
    }
}

#[cfg(test)]
mod tests {
    use super::fill;

    #[test]
    fn all_bytes_are_random_however_many_there_are() {
        for length in [0, 1, 32, 1000] {
            let (mut one, mut other) = (vec![0; length], vec![0; length]);
            fill(&mut one);
            fill(&mut other);
            assert!(length < 8 || one != other);
            // A range of 8 zero bytes is possible, with a probability of 2^-64.
            assert!(length < 16 || (one[..8] != [0; 8] && one[length - 8..] != [0; 8]));
        }
    }
}
