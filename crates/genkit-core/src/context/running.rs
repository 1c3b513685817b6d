//! The context of the running function, which free functions find without a parameter.

use std::future::Future;

use super::Context;

tokio::task_local! {
    static RUNNING: Context;
}

impl Context {
    /// Returns the context of the function that runs in this task. `None` in a task that a function spawned.
    #[doc(hidden)]
    pub fn running() -> Option<Self> {
        RUNNING.try_with(Self::clone).ok()
    }

    /// Runs `poll` with this as the running context.
    pub(super) fn run_poll<T>(&self, poll: impl FnOnce() -> T) -> T {
        RUNNING.sync_scope(self.clone(), poll)
    }

    /// Runs `work` with this as the running context.
    pub(crate) fn run_work<T>(&self, work: impl Future<Output = T>) -> impl Future<Output = T> {
        RUNNING.scope(self.clone(), work)
    }
}
