//! The rules for dividing a resource among clients.

use std::cmp::Reverse;
use std::collections::HashMap;
use std::hash::{DefaultHasher, Hash, Hasher as _};

/// The number of slots that a client can always hold while any are free. Default is 8.
pub const FLOOR: usize = 8;

/// Returns the floor for a resource of `total` slots.
pub fn scaled_floor(total: usize) -> usize {
    FLOOR.min(total / 2).max(1)
}

/// Returns whether a client that holds `held` units can take `more` of the `left` free units. A client must leave as
/// many units free as it holds, but can always hold up to `floor`.
pub fn can_take(held: usize, more: usize, left: usize, floor: usize) -> bool {
    more <= left && held.saturating_add(more) <= left.max(floor)
}

/// Returns a number that identifies a client.
pub fn hash_client(client: &impl Hash) -> u64 {
    let mut hasher = DefaultHasher::new();
    client.hash(&mut hasher);
    hasher.finish()
}

/// An item that can be evicted.
pub struct Item<Id, Owner, Age> {
    pub id: Id,
    pub owner: Owner,
    pub weight: usize,
    /// The age; the smallest value is the oldest.
    pub age: Age,
}

/// Returns the item to evict, and the total weight of its owner's items: the oldest item of the owner whose items have
/// the largest total weight.
pub fn find_greediest<Id, Owner, Age>(
    items: impl Iterator<Item = Item<Id, Owner, Age>> + Clone,
) -> Option<(Id, usize)>
where
    Id: Ord + Clone,
    Owner: Eq + Hash,
    Age: Ord + Clone,
{
    let mut weights: HashMap<Owner, usize> = HashMap::new();
    for item in items.clone() {
        *weights.entry(item.owner).or_default() += item.weight;
    }
    let held = |owner: &Owner| weights.get(owner).copied().unwrap_or_default();
    let first =
        items.min_by_key(|item| (Reverse(held(&item.owner)), item.age.clone(), item.id.clone()))?;
    Some((first.id, held(&first.owner)))
}
