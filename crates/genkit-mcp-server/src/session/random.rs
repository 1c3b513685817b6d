//! Random bytes of the operating system.

/// Fills `bytes` with random bytes that nobody can guess.
///
/// # Panics
/// Panics where the system has none: nothing could be sealed there.
pub(crate) fn fill(bytes: &mut [u8]) {
    #[cfg(target_os = "linux")]
    fill_from_kernel(bytes);
    #[cfg(not(target_os = "linux"))]
    getrandom::fill(bytes).expect("the system has random bytes");
}

/// By the call that Linux has for it since 3.17; `rustix` is there for the standard streams.
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
            // In 1,000 bytes each end has others than zero, but once in 2^64.
            assert!(length < 16 || (one[..8] != [0; 8] && one[length - 8..] != [0; 8]));
        }
    }
}
