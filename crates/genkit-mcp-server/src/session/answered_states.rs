//! The request states that were answered, stored as one bit per number.

use std::collections::BTreeMap;
use std::time::Instant;

use serde::{Deserialize, Serialize};

use super::request_state::STATE_TTL;

/// The maximum number of 64-bit words stored per instance. Default is 262,144. States older than the last 16 million
/// are rejected, so that a flood of new states cannot make an answered state valid again. A client cannot answer that
/// many states while the states of other clients are valid.
const MAX_WORDS: usize = 256 * 1024;

/// The maximum number of instances tracked per key. Default is 64. Beyond that, states of the longest idle instance are
/// rejected.
const MAX_INSTANCES: usize = 64;

/// The number of a state within its instance. States that repeat unanswered questions share a number, so that only one
/// of them can be answered.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub(crate) struct StateNumber {
    #[serde(rename = "i")]
    pub(super) instance: u64,
    #[serde(rename = "n")]
    pub(super) number: u64,
}

/// The numbers answered in this process, by instance.
#[derive(Debug, Default)]
pub(super) struct AnsweredStates {
    instances: BTreeMap<u64, Answered>,
}

#[derive(Debug)]
struct Answered {
    words: BTreeMap<u64, u64>,
    /// The first stored word; all earlier states count as answered.
    floor: u64,
    last: Instant,
}

impl AnsweredStates {
    pub(super) fn has_number(&self, state: StateNumber) -> bool {
        let (word, bit) = place(state.number);
        self.instances.get(&state.instance).is_some_and(|answered| {
            word < answered.floor || answered.words.get(&word).is_some_and(|bits| bits & bit != 0)
        })
    }

    /// Marks a state as answered; returns `false` if it was already answered.
    pub(super) fn insert_number(&mut self, state: StateNumber) -> bool {
        if self.has_number(state) {
            return false;
        }
        let now = Instant::now();
        if !self.instances.contains_key(&state.instance) {
            self.make_room(now);
        }
        let none = || Answered { words: BTreeMap::new(), floor: 0, last: now };
        let answered = self.instances.entry(state.instance).or_insert_with(none);
        answered.last = now;
        let (word, bit) = place(state.number);
        *answered.words.entry(word).or_default() |= bit;
        if answered.words.len() > MAX_WORDS
            && let Some((oldest, _)) = answered.words.pop_first()
        {
            answered.floor = oldest + 1;
        }
        true
    }

    /// Closes the longest idle instance, so that its states are no longer accepted.
    fn make_room(&mut self, now: Instant) {
        // All states of the removed instances have expired.
        self.instances.retain(|_, answered| now - answered.last < 2 * STATE_TTL);
        let open = || |answered: &&mut Answered| answered.floor < u64::MAX;
        if self.instances.values_mut().filter(open()).count() < MAX_INSTANCES {
            return;
        }
        let idle = self.instances.values_mut().filter(open()).min_by_key(|answered| answered.last);
        if let Some(idle) = idle {
            idle.words.clear();
            idle.floor = u64::MAX;
        }
    }
}

fn place(number: u64) -> (u64, u64) {
    (number / 64, 1 << (number % 64))
}

#[cfg(test)]
mod tests {
    use super::*;

    fn state(instance: u64, number: u64) -> StateNumber {
        StateNumber { instance, number }
    }

    #[test]
    fn each_state_is_noted_once() {
        let mut answered = AnsweredStates::default();
        for number in [0, 63, 64, 1_000_000, 1] {
            assert!(!answered.has_number(state(1, number)));
            assert!(
                answered.insert_number(state(1, number))
                    && !answered.insert_number(state(1, number))
            );
            assert!(
                answered.has_number(state(1, number)) && !answered.has_number(state(2, number))
            );
        }
        assert!(!answered.has_number(state(1, 2)));
    }

    #[test]
    fn evicted_state_counts_as_answered() {
        let mut answered = AnsweredStates::default();
        let words = MAX_WORDS as u64;
        for word in 0..2 * words {
            assert!(answered.insert_number(state(1, word * 64)));
        }
        assert_eq!(answered.instances[&1].words.len(), MAX_WORDS);
        assert!(
            answered.has_number(state(1, 0)) && answered.has_number(state(1, 1)),
            "answered or not, an evicted state is rejected"
        );
        assert!(!answered.has_number(state(1, 2 * words * 64 - 1)));
        for instance in 2..=MAX_INSTANCES as u64 + 1 {
            assert!(answered.insert_number(state(instance, 7)));
        }
        assert!(answered.has_number(state(1, u64::MAX / 64)), "instance 1 is closed");
        assert!(!answered.has_number(state(2, 8)));
    }
}
