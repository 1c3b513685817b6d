//! Encoded front: the JSON of the messages that earlier turns of a run have sent.

#[cfg(feature = "http-model")]
mod message_list;
#[cfg(test)]
#[cfg(all(
    feature = "anthropic",
    feature = "gemini",
    feature = "ollama",
    feature = "openai-responses"
))]
mod tests;

#[cfg(feature = "http-model")]
use std::hash::RandomState;
#[cfg(feature = "http-model")]
use std::sync::{Mutex, MutexGuard};

#[cfg(feature = "http-model")]
pub(crate) use message_list::MessageList;

#[cfg(feature = "http-model")]
use crate::sync::lock;

/// What the loop keeps of its own request, so that the next turn encodes only what is new.
///
/// Never a stale body: the request of a run belongs to the machine of its turns, which only adds messages to it, tells
/// of every other change, and lends it out without the right to change it. A clone keeps nothing, so that whoever changes messages, which takes
/// a clone, is encoded as a whole; and nothing is kept past the end of the run. Builds with debug assertions
/// encode each such request a second time, and compare.
#[derive(Debug, Default)]
pub(crate) struct Encoded(#[cfg(feature = "http-model")] Option<Box<Mutex<Front>>>);

/// The first messages of a request as a provider writes them.
#[cfg(feature = "http-model")]
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
    pub(crate) fn kept() -> Self {
        #[cfg(feature = "http-model")]
        return Self(Some(Box::default()));
        #[cfg(not(feature = "http-model"))]
        return Self();
    }

    /// What is kept; `None` where nothing is.
    #[cfg(feature = "http-model")]
    pub(super) fn front(&self) -> Option<MutexGuard<'_, Front>> {
        self.0.as_ref().map(|front| lock(front))
    }

    /// Notes that something else than messages changes: it is written anew.
    pub(crate) fn forget_rest(&self) {
        #[cfg(feature = "http-model")]
        if let Some(mut front) = self.front() {
            front.rest = None;
        }
    }

    /// How many messages are kept.
    #[cfg(all(feature = "http-model", debug_assertions))]
    pub(crate) fn messages(&self) -> usize {
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
