//! Tests of `genkit_untrusted::fair_share`.

use genkit_untrusted::fair_share::*;

#[test]
fn one_alone_gets_half_and_each_that_follows_half_of_the_rest() {
    let (total, mut left) = (1024, 1024);
    let mut shares = Vec::new();
    while left > 0 {
        let mut held = 0;
        while may_take(held, 1, left, FLOOR) {
            (held, left) = (held + 1, left - 1);
        }
        shares.push(held);
    }
    assert_eq!(shares.iter().sum::<usize>(), total);
    assert_eq!(shares, [512, 256, 128, 64, 32, 16, 8, 8]);
}

#[test]
fn shares_never_exceed_the_total() {
    assert!(!may_take(0, 2, 1, FLOOR));
    assert!(!may_take(0, 1, 0, FLOOR));
    assert!(!may_take(usize::MAX, 1, 5, FLOOR));
    assert!(may_take(FLOOR - 1, 1, 1, FLOOR));
}
