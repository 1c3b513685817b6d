//! Records of compacted conversations: the messages that were removed from them, and the number of tokens of the rest.

use std::collections::{BTreeSet, HashMap, VecDeque};
use std::hash::{BuildHasher as _, Hasher, RandomState};
use std::io;
use std::sync::{Arc, Mutex};

use genkit_core::Message;
use genkit_core::internal::sync::lock;

/// The number of conversation turns to remember. Default is 1,024. The next turn of a forgotten conversation is
/// compacted from scratch.
const MAX_REMEMBERED: usize = 1_024;

/// The state of a conversation up to a certain message.
#[derive(Clone, Debug, Default)]
pub(super) struct CompactionRecord {
    /// The indices of the removed messages.
    pub(super) left_out: BTreeSet<usize>,
    /// The summary that replaces them.
    pub(super) summary: Option<Arc<str>>,
    /// The tokens of the last request, as reported by the provider.
    pub(super) tokens: Option<u64>,
    /// The ratio of counted tokens to estimated tokens.
    pub(super) ratio: f64,
}

/// Conversations, by the hash of their first messages.
#[derive(Default)]
pub(super) struct Memory {
    hasher: RandomState,
    known: Mutex<(HashMap<u64, CompactionRecord>, VecDeque<u64>)>,
}

impl Memory {
    /// Returns the keys of all prefixes of a conversation with `model`, the shortest first.
    pub(super) fn prefix_keys(&self, model: &str, messages: &[Message]) -> Vec<u64> {
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

    /// Returns the state of the longest known prefix, and the number of its messages.
    pub(super) fn find_longest(&self, keys: &[u64]) -> Option<(usize, CompactionRecord)> {
        let known = lock(&self.known);
        let found =
            |(at, key)| known.0.get(key).map(|known: &CompactionRecord| (at + 1, known.clone()));
        keys.iter().enumerate().rev().find_map(found)
    }

    pub(super) fn remember(&self, key: u64, known: CompactionRecord) {
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
    fn longest_beginning_is_found_and_the_oldest_is_forgotten() {
        let memory = Memory::default();
        let talk = ["a", "b", "c"].map(Message::user);
        let keys = memory.prefix_keys("m", &talk);
        assert!(memory.find_longest(&keys).is_none());
        let known =
            |tokens| CompactionRecord { tokens: Some(tokens), ..CompactionRecord::default() };
        memory.remember(keys[0], known(1));
        memory.remember(keys[1], known(2));
        let found = |keys: &[u64]| memory.find_longest(keys).map(|(at, known)| (at, known.tokens));
        assert_eq!(found(&keys), Some((2, Some(2))));
        assert_eq!(found(&keys[..1]), Some((1, Some(1))));
        assert_eq!(found(&memory.prefix_keys("other", &talk)), None);
        assert_eq!(found(&memory.prefix_keys("m", &["b", "a"].map(Message::user))), None);
        for key in 0..MAX_REMEMBERED as u64 {
            memory.remember(key, known(key));
        }
        assert_eq!(found(&keys), None);
        assert_eq!(lock(&memory.known).0.len(), MAX_REMEMBERED);
    }
}
