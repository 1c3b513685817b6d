//! Equality of JSON as JSON Schema has it: `1` is `1.0`, and members have no order.

use std::collections::HashMap;
use std::collections::hash_map::RandomState;
use std::hash::{BuildHasher as _, Hash as _, Hasher as _};

use serde_json::Value;

use super::number::Num;

pub(super) fn are_equal(a: &Value, b: &Value) -> bool {
    match (a, b) {
        (Value::Number(a), Value::Number(b)) => match (Num::of(a), Num::of(b)) {
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

/// An item that is there twice, found in time that grows with the list.
pub(super) fn repeated(items: &[Value]) -> Option<&Value> {
    // Keyed by chance, so that nobody can send items that collide.
    let hashes = RandomState::new();
    let mut seen: HashMap<u64, Vec<&Value>> = HashMap::with_capacity(items.len());
    for item in items {
        let same = seen.entry(hash(&hashes, item)).or_default();
        if same.iter().any(|other| are_equal(other, item)) {
            return Some(item);
        }
        same.push(item);
    }
    None
}

fn hash(hashes: &RandomState, value: &Value) -> u64 {
    let mut hasher = hashes.build_hasher();
    std::mem::discriminant(value).hash(&mut hasher);
    match value {
        Value::Null => {}
        Value::Bool(bool) => bool.hash(&mut hasher),
        Value::String(text) => text.hash(&mut hasher),
        Value::Number(number) => match number.as_f64() {
            // A whole number and its float are one; those that share a float are compared.
            Some(float) => (if float == 0.0 { 0.0 } else { float }).to_bits().hash(&mut hasher),
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
        assert!(repeated(&items).is_some());
        assert!(repeated(&[json!(1), json!("1"), json!(true), json!([1]), json!(null)]).is_none());
        let near = [json!(9_007_199_254_740_993_u64), json!(9_007_199_254_740_992_u64)];
        assert!(repeated(&near).is_none());
    }

    #[test]
    fn a_long_list_takes_one_pass() {
        let mut items: Vec<Value> = (0..100_000).map(Value::from).collect();
        assert!(repeated(&items).is_none());
        items.push(json!(99_999.0));
        assert_eq!(repeated(&items), Some(&json!(99_999.0)));
    }
}
