//! Rest: a function that only waits for something elsewhere can be dropped meanwhile, where its run is durable.

use std::sync::{Arc, Mutex};
use std::time::Duration;

use tokio::time::Instant;

use super::replay::{OnceGuard, Replay};
use super::{Context, ContextParts};
use crate::future::BoxFuture;
use crate::sync::lock;

/// What a function waits for, and can be looked at without it.
pub trait Elsewhere: Send + Sync {
    /// When to look again; `None` where the function must go on.
    fn look(&self) -> BoxFuture<'_, Option<Duration>>;

    /// Nobody wants it any more.
    fn give_up(&self);
}

/// All that a function waits for, while it does nothing else.
#[derive(Clone)]
pub struct Rest {
    pub waits: Vec<Arc<dyn Elsewhere>>,
    /// When to look at them.
    pub until: Instant,
}

/// Held while something elsewhere is followed.
pub struct FollowGuard<'a>(&'a Mutex<Replay>);

impl Drop for FollowGuard<'_> {
    fn drop(&mut self) {
        lock(self.0).followed -= 1;
    }
}

/// Held while the function may be dropped.
struct RestGuard<'a>(&'a Mutex<Replay>, u64);

impl Drop for RestGuard<'_> {
    fn drop(&mut self) {
        lock(self.0).resting.retain(|(number, ..)| *number != self.1);
    }
}

impl Context {
    /// Notes that something elsewhere is followed, until this is dropped: the function rests when all of it does.
    pub fn follows(&self) -> FollowGuard<'_> {
        self.replay().followed += 1;
        FollowGuard(self.shared_replay())
    }

    /// The function is not dropped for a question or a rest beside this.
    pub fn undivided(&self) -> OnceGuard<'_> {
        OnceGuard::new(self.shared_replay())
    }

    /// A context with the same states, values and action context, that asks nobody and outlives the function.
    pub fn outliving(&self) -> Self {
        let parts = &self.0.parts;
        ContextParts {
            states: parts.states.clone(),
            values: parts.values.clone(),
            action_context: Arc::clone(&parts.action_context),
            ..ContextParts::default()
        }
        .build()
    }

    /// Waits for this time, in which a durable run may let the function go and look at `what` by itself.
    pub async fn rest(&self, what: Arc<dyn Elsewhere>, time: Duration) {
        let _resting = {
            let mut replay = self.replay();
            let number = replay.resting.last().map_or(0, |(last, ..)| last + 1);
            replay.resting.push((number, what, Instant::now() + time));
            RestGuard(self.shared_replay(), number)
        };
        tokio::time::sleep(time).await;
    }
}

impl Replay {
    /// What the function waits for, if that is all that it does.
    pub(super) fn rest(&self) -> Option<Rest> {
        if self.resting.is_empty() || self.resting.len() < self.followed || self.busy > 0 {
            return None;
        }
        let until = self.resting.iter().map(|(.., until)| *until).min()?;
        let waits = self.resting.iter().map(|(_, what, _)| Arc::clone(what)).collect();
        Some(Rest { waits, until })
    }
}
