//! Equality of JSON values as in JSON Schema: `1` equals `1.0`, and members have no order.

use std::collections::hash_map::RandomState;
use std::hash::{BuildHasher as _, Hash as _, Hasher as _};

use serde_json::Value;

use super::number::Num;

pub(super) fn are_equal(a: &Value, b: &Value) -> bool {
    match (a, b) {
        (Value::Number(a), Value::Number(b)) => match (Num::from_number(a), Num::from_number(b)) {
            (Some(a), Some(b)) => a == b,
            _ => a == b,
        },
        (Value::Array(a), Value::Array(b)) => {
            a.len() == b.len() && a.iter().zip(b).all(|(a, b)| are_equal(a, b))
        }
        (Value::Object(a), Value::Object(b)) => {
            a.len() == b.len()
                && a.iter().all(|(name, a)| b.get(name).is_some_and(|b| are_equal(a, b)))
        }
        _ => a == b,
    }
}

/// Returns an item that occurs more than once. The time is nearly linear in the length of the list.
pub(super) fn find_repeated(items: &[Value]) -> Option<&Value> {
    // A random key prevents attackers from sending items whose hashes collide.
    let hashes = RandomState::new();
    let of = |(index, item)| (hash(&hashes, item), index);
    let mut all: Vec<(u64, usize)> = items.iter().enumerate().map(of).collect();
    all.sort_unstable();
    let alike = all.chunk_by(|(one, _), (other, _)| one == other);
    let again = alike.filter_map(|alike| {
        alike.iter().enumerate().find_map(|(at, (_, index))| {
            let before = alike[..at].iter().rev().take(MAX_ALIKE);
            let mut before = before.map(|(_, index)| &items[*index]);
            before.any(|other| are_equal(other, &items[*index])).then_some(*index)
        })
    });
    again.min().map(|index| &items[index])
}

/// The maximum number of items with the same hash that an item is compared with. Default is 16; with a random key,
/// collisions are rare.
const MAX_ALIKE: usize = 16;

/// Returns a hash that is the same for equal values.
pub(super) fn hash(hashes: &RandomState, value: &Value) -> u64 {
    let mut hasher = hashes.build_hasher();
    std::mem::discriminant(value).hash(&mut hasher);
    match value {
        Value::Null => {}
        Value::Bool(bool) => bool.hash(&mut hasher),
        Value::String(text) => text.hash(&mut hasher),
        Value::Number(number) => match Num::from_number(number) {
            // An integer and the equal float have the same hash.
            Some(number) => match number.as_integer() {
                Some(int) => int.hash(&mut hasher),
                None => number.as_float().to_bits().hash(&mut hasher),
            },
            None => number.hash(&mut hasher),
        },
        Value::Array(items) => {
            items.len().hash(&mut hasher);
            for item in items {
                hash(hashes, item).hash(&mut hasher);
            }
        }
        Value::Object(members) => {
            let mut sum = 0_u64;
            for (name, value) in members {
                let mut member = hashes.build_hasher();
                name.hash(&mut member);
                hash(hashes, value).hash(&mut member);
                sum = sum.wrapping_add(member.finish());
            }
            sum.hash(&mut hasher);
        }
    }
    hasher.finish()
}

#[cfg(test)]
mod tests {
    use super::*;
    use serde_json::json;

    #[test]
    fn numbers_are_equal_by_value_and_members_in_any_order() {
        let items = [json!({"a": 1, "b": [2]}), json!({"b": [2.0], "a": 1.0})];
        assert!(are_equal(&items[0], &items[1]));
        assert!(find_repeated(&items).is_some());
        assert!(
            find_repeated(&[json!(1), json!("1"), json!(true), json!([1]), json!(null)]).is_none()
        );
        let near = [json!(9_007_199_254_740_993_u64), json!(9_007_199_254_740_992_u64)];
        assert!(find_repeated(&near).is_none());
    }

    #[test]
    fn long_list_takes_one_pass() {
        let mut items: Vec<Value> = (0..100_000).map(Value::from).collect();
        assert!(find_repeated(&items).is_none());
        items.push(json!(99_999.0));
        assert_eq!(find_repeated(&items), Some(&json!(99_999.0)));
    }

    #[test]
    fn whole_numbers_that_share_a_float_do_not_collide() {
        let least = 1_u64 << 63;
        let items: Vec<Value> = (0..200_000).map(|n| json!(least + n)).collect();
        assert!(find_repeated(&items).is_none());
        assert!(find_repeated(&[json!(2.5), json!(0.0), json!(2.5)]).is_some());
        assert!(find_repeated(&[json!(1e300), json!(7), json!(1e300)]).is_some());
        assert!(find_repeated(&[json!(-0.0), json!(0)]).is_some());
    }
}
