//! Tests of `genkit_untrusted::fair_share`.

use genkit_untrusted::fair_share::*;

#[test]
fn each_client_gets_half_of_the_free_slots() {
    let (total, mut left) = (1024, 1024);
    let mut shares = Vec::new();
    while left > 0 {
        let mut held = 0;
        while can_take(held, 1, left, FLOOR) {
            (held, left) = (held + 1, left - 1);
        }
        shares.push(held);
    }
    assert_eq!(shares.iter().sum::<usize>(), total);
    assert_eq!(shares, [512, 256, 128, 64, 32, 16, 8, 8]);
}

#[test]
fn shares_never_exceed_the_total() {
    assert!(!can_take(0, 2, 1, FLOOR));
    assert!(!can_take(0, 1, 0, FLOOR));
    assert!(!can_take(usize::MAX, 1, 5, FLOOR));
    assert!(can_take(FLOOR - 1, 1, 1, FLOOR));
}
