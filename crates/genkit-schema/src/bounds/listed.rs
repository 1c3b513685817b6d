//! Lists of allowed values, with an index for lookups in long lists.

use std::collections::HashMap;
use std::collections::hash_map::RandomState;

use serde_json::Value;

use super::equality::{are_equal, hash};

/// The maximum length of a list that is searched linearly.
const FEW: usize = 8;

/// The values of `enum`, or the value of `const`.
#[derive(Debug)]
pub(super) struct ValueList {
    pub(super) values: Vec<Value>,
    /// The positions of the values by hash, if the list is long. The random key prevents attackers from listing values
    /// whose hashes collide.
    index: Option<(RandomState, HashMap<u64, Vec<usize>>)>,
}

impl ValueList {
    pub(super) fn new(values: Vec<Value>) -> Self {
        let index = (values.len() > FEW).then(|| {
            let hashes = RandomState::new();
            let mut index: HashMap<u64, Vec<usize>> = HashMap::new();
            for (at, value) in values.iter().enumerate() {
                let same = index.entry(hash(&hashes, value)).or_default();
                if same.len() < FEW && !same.iter().any(|at| are_equal(&values[*at], value)) {
                    same.push(at);
                }
            }
            (hashes, index)
        });
        Self { values, index }
    }

    pub(super) fn contains_value(&self, value: &Value) -> bool {
        match &self.index {
            None => self.values.iter().any(|listed| are_equal(listed, value)),
            Some((hashes, index)) => index
                .get(&hash(hashes, value))
                .is_some_and(|same| same.iter().any(|at| are_equal(&self.values[*at], value))),
        }
    }
}
