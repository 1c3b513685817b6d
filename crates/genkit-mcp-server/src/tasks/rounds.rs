//! The rounds of a call that can become a task. The ids of questions do not depend on the process, or on whether
//! the call has become a task.

use std::sync::Arc;

use base64::Engine as _;
use base64::engine::general_purpose::URL_SAFE_NO_PAD;
use sha2::{Digest as _, Sha256};

use genkit_core::internal::context::Rounds;

/// The [`Rounds`] of the call. Wraps those of the request, or `None` if the task was resumed from a store.
pub(super) struct TaskRounds(pub(super) Option<Arc<dyn Rounds>>);

impl Rounds for TaskRounds {
    /// An unkeyed hash is sufficient, because the digest is only stored in a signed state or in a store.
    fn identify_question(&self, question: &str) -> String {
        URL_SAFE_NO_PAD.encode(Sha256::digest(question.as_bytes()))
    }

    fn claim_answers(&self) -> bool {
        self.0.as_ref().is_none_or(|round| round.claim_answers())
    }
}
