//! Suspension of functions that only wait for an external operation: in a durable run, they can be dropped while they
//! wait.

use std::sync::{Arc, Mutex};
use std::time::Duration;

use tokio::time::Instant;

use super::replay::{OnceGuard, Replay};
use super::suspended_runs::ExternalOperation;
use super::{Context, ContextParts};
use crate::sync::lock;

/// The external operations that a function waits for while it does nothing else.
#[derive(Clone)]
pub struct PendingWaits {
    pub waits: Vec<Arc<dyn ExternalOperation>>,
    /// The time of the next poll.
    pub until: Instant,
}

/// A guard that is held while the function follows an external operation.
pub struct FollowGuard<'a>(&'a Mutex<Replay>);

impl Drop for FollowGuard<'_> {
    fn drop(&mut self) {
        lock(self.0).followed -= 1;
    }
}

/// A guard that is held while the function waits and may be dropped.
struct WaitGuard<'a>(&'a Mutex<Replay>, u64);

impl Drop for WaitGuard<'_> {
    fn drop(&mut self) {
        lock(self.0).waiting.retain(|(number, ..)| *number != self.1);
    }
}

impl Context {
    /// Registers an external operation until the guard is dropped. The function can be suspended once all of its
    /// operations are waiting.
    #[doc(hidden)]
    pub fn follow_operation(&self) -> FollowGuard<'_> {
        self.lock_replay().followed += 1;
        FollowGuard(self.shared_replay())
    }

    /// Prevents the function from being dropped for a concurrent question or suspension, until the guard is dropped.
    #[doc(hidden)]
    pub fn prevent_drop(&self) -> OnceGuard<'_> {
        OnceGuard::new(self.shared_replay())
    }

    /// Creates a context without a caller, with the same states, values and action context. The new context may
    /// outlive the function.
    #[doc(hidden)]
    pub fn detached_context(&self) -> Self {
        let parts = &self.0.parts;
        ContextParts {
            states: parts.states.clone(),
            values: parts.values.clone(),
            action_context: Arc::clone(&parts.action_context),
            client: parts.client,
            ..ContextParts::default()
        }
        .build()
    }

    /// Waits for the duration `time`. Meanwhile, a durable run may drop the function and poll `what` instead.
    #[doc(hidden)]
    pub async fn wait_suspended(&self, what: Arc<dyn ExternalOperation>, time: Duration) {
        let _resting = {
            let mut replay = self.lock_replay();
            let number = replay.waiting.last().map_or(0, |(last, ..)| last + 1);
            replay.waiting.push((number, what, Instant::now() + time));
            WaitGuard(self.shared_replay(), number)
        };
        tokio::time::sleep(time).await;
    }
}

impl Replay {
    /// Returns the operations that the function waits for, if it does nothing else.
    pub(super) fn pending_waits(&self) -> Option<PendingWaits> {
        if self.waiting.is_empty() || self.waiting.len() < self.followed || self.busy > 0 {
            return None;
        }
        let until = self.waiting.iter().map(|(.., until)| *until).min()?;
        let waits = self.waiting.iter().map(|(_, what, _)| Arc::clone(what)).collect();
        Some(PendingWaits { waits, until })
    }
}
