//! The rule for dividing a resource among clients.

/// The number of countable resources that a client can always hold while any are left. Default is 8.
pub const FLOOR: usize = 8;

/// Returns the floor for a resource of `total` slots.
pub fn floor_of(total: usize) -> usize {
    FLOOR.min(total / 2).max(1)
}

/// Returns whether a client that holds `held` units can take `more` of the `left` free units. A client must leave as
/// many units free as it holds, but can always hold up to `floor`.
pub fn may_take(held: usize, more: usize, left: usize, floor: usize) -> bool {
    more <= left && held.saturating_add(more) <= left.max(floor)
}

#[cfg(test)]
mod tests {
    use super::*;

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
    fn nobody_takes_more_than_there_is() {
        assert!(!may_take(0, 2, 1, FLOOR));
        assert!(!may_take(0, 1, 0, FLOOR));
        assert!(!may_take(usize::MAX, 1, 5, FLOOR));
        assert!(may_take(FLOOR - 1, 1, 1, FLOOR));
    }
}
