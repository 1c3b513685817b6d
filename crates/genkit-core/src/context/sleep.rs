//! Timers: a durable call that waits only for a timer is suspended in its store.

use std::sync::Arc;
use std::time::{Duration, SystemTime};

use super::{Context, ExternalOperation, RunWait};
use crate::error::Result;
use crate::future::BoxFuture;
use crate::run_store::now_ms;

/// The longest time that a process waits before it reads the clock again. Default is one minute.
const CHECK_INTERVAL: Duration = Duration::from_secs(60);

/// A point in time that a function waits for, in milliseconds since the Unix epoch.
struct Timer(u64);

impl Timer {
    /// Returns the time that is left.
    fn left(&self) -> Option<Duration> {
        let left = self.0.saturating_sub(now_ms());
        (left > 0).then(|| Duration::from_millis(left))
    }
}

impl ExternalOperation for Timer {
    fn poll_operation(&self) -> BoxFuture<'_, Option<Duration>> {
        Box::pin(std::future::ready(self.left()))
    }

    fn describe(&self) -> RunWait {
        RunWait::Time(self.0)
    }

    fn cancel_operation(&self) {}
}

impl Context {
    /// Waits for the duration `time`. A durable run saves the end of the wait, so a restart does not extend it.
    ///
    /// A durable run or flow that only waits is suspended in its store, for days if needed, and occupies neither a
    /// lease nor a worker. After the wait, its function runs again from the beginning with the saved results of
    /// [`once`](Self::once). Functions with `at_most_once`, and functions that another function of the run has called,
    /// wait in their worker instead.
    ///
    /// ```
    /// use std::time::Duration;
    ///
    /// use genkit::{Context, Result, flow};
    ///
    /// /// Reminds a customer after three days.
    /// #[flow]
    /// async fn remind(ctx: &Context, customer: String) -> Result<String> {
    ///     ctx.sleep(Duration::from_secs(3 * 24 * 3600)).await?;
    ///     ctx.once("remind", async { Ok::<_, genkit::Error>(format!("reminded {customer}")) }).await
    /// }
    /// ```
    ///
    /// # Errors
    /// In a durable run, returns any error from its store.
    pub async fn sleep(&self, time: Duration) -> Result<()> {
        let ms = u64::try_from(time.as_millis()).unwrap_or(u64::MAX);
        self.sleep_until_ms(now_ms().saturating_add(ms)).await
    }

    /// Waits until the wall clock reaches `time`. Otherwise the same as [`sleep`](Self::sleep).
    ///
    /// # Errors
    /// Returns the same errors as [`sleep`](Self::sleep).
    pub async fn sleep_until(&self, time: SystemTime) -> Result<()> {
        let since = time.duration_since(SystemTime::UNIX_EPOCH).unwrap_or_default();
        self.sleep_until_ms(u64::try_from(since.as_millis()).unwrap_or(u64::MAX)).await
    }

    async fn sleep_until_ms(&self, until: u64) -> Result<()> {
        let key = self.nth_key("sleep");
        let recorded = self.recorded_result(&key).and_then(|until| until.as_u64());
        let until = match recorded {
            Some(until) => until,
            None => {
                self.record_saved(&key, until.into()).await?;
                until
            }
        };
        let timer = Arc::new(Timer(until));
        let _following = self.follow_operation();
        while let Some(left) = timer.left() {
            // The driver checks a suspended run when the time is over. A process that waits checks more often, because
            // the wall clock may be changed.
            match self.is_durable() {
                true => self.wait_suspended(Arc::clone(&timer) as _, left).await,
                false => tokio::time::sleep(left.min(CHECK_INTERVAL)).await,
            }
        }
        Ok(())
    }
}
