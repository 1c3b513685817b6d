//! Encoded front: the JSON of the messages that earlier turns of a run have sent.

mod message_list;
#[cfg(test)]
mod tests;

use std::hash::RandomState;
use std::sync::{Mutex, MutexGuard};

pub use message_list::MessageList;

use crate::sync::lock;

/// What the loop keeps of its own request, so that the next turn encodes only what is new.
///
/// Never a stale body: the request of a run belongs to the machine of its turns, which only adds messages to it, tells
/// of every other change, and lends it out without the right to change it. A clone keeps nothing, so that whoever changes messages, which takes
/// a clone, is encoded as a whole; and nothing is kept past the end of the run. Builds with debug assertions
/// encode each such request a second time, and compare.
#[derive(Debug, Default)]
pub struct Encoded(Option<Box<Mutex<Front>>>);

/// The first messages of a request as a provider writes them.
#[derive(Debug, Default)]
pub(super) struct Front {
    pub(super) hasher: RandomState,
    /// Of what else shapes the messages.
    pub(super) key: u64,
    /// How many messages it is.
    pub(super) messages: usize,
    /// The elements of the list, without its brackets.
    pub(super) json: Vec<u8>,
    /// What stands after the list in a body, and what that was made of; `None` once that has changed.
    pub(super) rest: Option<(u64, Vec<u8>)>,
}

impl Encoded {
    /// For a request of which the owner only adds messages.
    pub fn kept() -> Self {
        return Self(Some(Box::default()));
    }

    /// What is kept; `None` where nothing is.
    pub(super) fn front(&self) -> Option<MutexGuard<'_, Front>> {
        self.0.as_ref().map(|front| lock(front))
    }

    /// Notes that something else than messages changes: it is written anew.
    pub fn forget_rest(&self) {
        if let Some(mut front) = self.front() {
            front.rest = None;
        }
    }

    /// How many messages are kept.
    #[cfg(debug_assertions)]
    pub fn messages(&self) -> usize {
        self.front().map_or(0, |front| front.messages)
    }
}

impl Clone for Encoded {
    fn clone(&self) -> Self {
        Self::default()
    }
}

/// It is no part of what is asked.
impl PartialEq for Encoded {
    fn eq(&self, _: &Self) -> bool {
        true
    }
}
