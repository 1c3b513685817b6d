//! The rule for resources that clients share.

/// The number of countable resources that a client can always hold while any are left. Default is 8.
pub const FLOOR: usize = 8;

/// Returns the floor for a resource of `total` places.
pub fn floor_of(total: usize) -> usize {
    FLOOR.min(total / 2).max(1)
}

/// Returns whether a holder of `held` can take `more` of the `left`: never more than remains for all others, but always
/// up to `floor`.
pub fn may_take(held: usize, more: usize, left: usize, floor: usize) -> bool {
    more <= left && held.saturating_add(more) <= left.max(floor)
}
