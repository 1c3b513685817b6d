//! Tests of `genkit_untrusted::seal`.

use base64::Engine as _;
use base64::engine::general_purpose::URL_SAFE_NO_PAD;
use genkit_untrusted::seal::*;
use std::time::Duration;

const HOUR: Duration = Duration::from_secs(3600);

fn seal(key: u8) -> Seal {
    Seal::new(&[key; MIN_KEY], b"genkit/request-state/1\0")
}

#[test]
fn sealed_text_opens_only_with_its_key_and_binding() {
    let sealed = seal(1).seal_text(b"content", b"alice", HOUR);
    assert_eq!(seal(1).open_text(&sealed, b"alice"), Ok(b"content".to_vec()));
    assert_eq!(seal(1).open_text(&sealed, b"bob"), Err(SealError::Forged));
    assert_eq!(seal(2).open_text(&sealed, b"alice"), Err(SealError::Forged));
    let ended = seal(1).seal_text(b"content", b"alice", Duration::ZERO);
    assert_eq!(seal(1).open_text(&ended, b"alice"), Err(SealError::Expired));
}

#[test]
fn modified_sealed_text_is_rejected() {
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
fn associated_data_is_separated_from_the_content() {
    let (one, two) = (seal(1).digest_text(b"ab", b"c"), seal(1).digest_text(b"a", b"bc"));
    assert_ne!(one, two);
    assert_eq!(one, seal(1).digest_text(b"ab", b"c"));
}

/// Instances of other versions must compute the same digest.
#[test]
fn digest_is_stable_across_versions() {
    assert_eq!(seal(1).digest_text(b"ab", b"c"), "nzPkpi1Wm_W0nClaU47feHu9byqmFZrR44Slg6Hwls8");
}
