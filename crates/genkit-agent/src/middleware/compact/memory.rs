//! What is remembered of conversations: what was left out of them, and how many tokens the rest had.

use std::collections::{BTreeSet, HashMap, VecDeque};
use std::hash::{BuildHasher as _, Hasher, RandomState};
use std::io;
use std::sync::{Arc, Mutex};

use genkit_core::Message;
use genkit_core::internal::sync::lock;

/// How many turns of conversations are remembered. Default is 1,024; of one that is forgotten the next turn is
/// compacted anew.
const MAX_REMEMBERED: usize = 1_024;

/// What is remembered of a conversation as far as it went.
#[derive(Clone, Debug, Default)]
pub(super) struct Remembered {
    /// The places of the messages that are left out.
    pub(super) left_out: BTreeSet<usize>,
    /// What stands in their place.
    pub(super) summary: Option<Arc<str>>,
    /// The tokens of what was sent, as the provider told them.
    pub(super) tokens: Option<u64>,
    /// Tokens for each that is estimated.
    pub(super) ratio: f64,
}

/// Conversations by what they begin with.
#[derive(Default)]
pub(super) struct Memory {
    hasher: RandomState,
    known: Mutex<(HashMap<u64, Remembered>, VecDeque<u64>)>,
}

impl Memory {
    /// The key of each beginning of a conversation with `model`, the shortest first.
    pub(super) fn keys(&self, model: &str, messages: &[Message]) -> Vec<u64> {
        let mut key = self.hasher.hash_one(model);
        let next = |message: &Message| {
            let mut hasher = HashWriter(self.hasher.build_hasher());
            hasher.0.write_u64(key);
            if serde_json::to_writer(&mut hasher, message).is_err() {
                hasher.0.write_u64(0);
            }
            key = hasher.0.finish();
            key
        };
        messages.iter().map(next).collect()
    }

    /// What is known of the longest beginning, and how many messages that has.
    pub(super) fn find(&self, keys: &[u64]) -> Option<(usize, Remembered)> {
        let known = lock(&self.known);
        let found = |(at, key)| known.0.get(key).map(|known: &Remembered| (at + 1, known.clone()));
        keys.iter().enumerate().rev().find_map(found)
    }

    pub(super) fn keep(&self, key: u64, known: Remembered) {
        let (map, order) = &mut *lock(&self.known);
        if map.insert(key, known).is_none() {
            order.push_back(key);
        }
        while map.len() > MAX_REMEMBERED {
            let Some(oldest) = order.pop_front() else { break };
            map.remove(&oldest);
        }
    }
}

struct HashWriter<H>(H);

impl<H: Hasher> io::Write for HashWriter<H> {
    fn write(&mut self, bytes: &[u8]) -> io::Result<usize> {
        self.0.write(bytes);
        Ok(bytes.len())
    }

    fn flush(&mut self) -> io::Result<()> {
        Ok(())
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_longest_beginning_is_found_and_the_oldest_is_forgotten() {
        let memory = Memory::default();
        let talk = ["a", "b", "c"].map(Message::user);
        let keys = memory.keys("m", &talk);
        assert!(memory.find(&keys).is_none());
        let known = |tokens| Remembered { tokens: Some(tokens), ..Remembered::default() };
        memory.keep(keys[0], known(1));
        memory.keep(keys[1], known(2));
        let found = |keys: &[u64]| memory.find(keys).map(|(at, known)| (at, known.tokens));
        assert_eq!(found(&keys), Some((2, Some(2))));
        assert_eq!(found(&keys[..1]), Some((1, Some(1))));
        assert_eq!(found(&memory.keys("other", &talk)), None);
        assert_eq!(found(&memory.keys("m", &["b", "a"].map(Message::user))), None);
        for key in 0..MAX_REMEMBERED as u64 {
            memory.keep(key, known(key));
        }
        assert_eq!(found(&keys), None);
        assert_eq!(lock(&memory.known).0.len(), MAX_REMEMBERED);
    }
}
