//! A cache of the JSON that earlier turns of a run have sent.
//!
//! The cache is justified by a benchmark: in `cargo bench -p genkit --bench generating`, a long run encodes its
//! requests four times as fast with the cache as without.

mod message_list;

use std::hash::RandomState;
use std::sync::{Mutex, MutexGuard};

pub use message_list::MessageList;

use crate::sync::lock;

/// The cached JSON of a run's request, so that the next turn encodes only the new messages.
///
/// The cache is never stale. The request of a run belongs to the state machine of its turns, which only appends
/// messages, reports every other change with [`forget_rest`](Self::forget_rest), and exposes only shared references to
/// the request. A clone has an empty cache, so code that clones a request to change its messages encodes it completely.
/// The cache is dropped when the run ends. Builds with debug assertions encode each request a second time and compare
/// the two.
#[derive(Debug, Default)]
pub struct EncodedMessages(Option<Box<Mutex<CachedPrefix>>>);

/// The first messages of a request as the provider encodes them.
#[derive(Debug, Default)]
pub(super) struct CachedPrefix {
    pub(super) hasher: RandomState,
    /// A hash of everything else that affects the encoded messages.
    pub(super) key: u64,
    /// The number of messages.
    pub(super) messages: usize,
    /// The elements of the JSON list, without its brackets.
    pub(super) json: Vec<u8>,
    /// The members that follow the list in the body, with a hash of their inputs; `None` once an input has changed.
    pub(super) rest: Option<(u64, Vec<u8>)>,
}

impl EncodedMessages {
    /// Creates a cache for a request to which only messages are appended.
    pub fn for_run() -> Self {
        Self(Some(Box::default()))
    }

    /// Returns the cached JSON, or `None` if this request is not cached.
    pub(super) fn lock_front(&self) -> Option<MutexGuard<'_, CachedPrefix>> {
        self.0.as_ref().map(|front| lock(front))
    }

    /// Records that something other than the messages has changed, so that it is encoded again.
    pub fn forget_rest(&self) {
        if let Some(mut front) = self.lock_front() {
            front.rest = None;
        }
    }

    /// Returns the number of cached messages.
    #[cfg(debug_assertions)]
    pub fn message_count(&self) -> usize {
        self.lock_front().map_or(0, |front| front.messages)
    }
}

impl Clone for EncodedMessages {
    fn clone(&self) -> Self {
        Self::default()
    }
}

/// The cache does not affect equality.
impl PartialEq for EncodedMessages {
    fn eq(&self, _: &Self) -> bool {
        true
    }
}
