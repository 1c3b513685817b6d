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
