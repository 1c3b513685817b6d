//! The rounds of a call that may become a task: what a question is known by, the same before and after, and in every
//! process.

use std::sync::Arc;

use base64::Engine as _;
use base64::engine::general_purpose::URL_SAFE_NO_PAD;
use sha2::{Digest as _, Sha256};

use genkit_core::internal::context::Rounds;

/// Those of a request, until the call is a task.
pub(super) struct TaskRounds(pub(super) Option<Arc<dyn Rounds>>);

impl Rounds for TaskRounds {
    /// A hash without a key: what it stands in is signed, or lies in a store.
    fn know(&self, question: &str) -> String {
        URL_SAFE_NO_PAD.encode(Sha256::digest(question.as_bytes()))
    }

    fn claim(&self) -> bool {
        self.0.as_ref().is_none_or(|round| round.claim())
    }
}
