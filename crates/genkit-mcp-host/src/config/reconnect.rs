//! The reconnection policy for failed or lost connections.

use std::time::Duration;

use crate::backoff::Backoff;
use crate::limits::{FIRST_BACKOFF, MAX_BACKOFF};

/// The reconnection policy for servers that are unreachable or whose connection was lost.
///
/// The first 3 lost connections are re-established immediately. Later attempts are delayed, and each delay is twice as
/// long as the previous one. The immediate attempts also double the delay, so the first delay is 4 seconds by default.
/// A connection that lasts 10 seconds resets the series. A call that needs the server does not wait for the delay to
/// end; it connects immediately.
///
/// ```
/// use genkit::mcp::host::{McpHost, Reconnect, ServerConfig};
/// use std::time::Duration;
///
/// # #[tokio::main(flavor = "current_thread")]
/// # async fn main() -> genkit::Result<()> {
/// let patient = Reconnect::new().first_delay(Duration::from_secs(2)).max_delay(Duration::from_secs(300));
/// let host = McpHost::builder()
///     .reconnect(patient)
///     // This server is not retried automatically; `host.reconnect("fs")` tries again.
///     .server("fs", ServerConfig::stdio("mcp-server-filesystem").reconnect(Reconnect::never()))
///     .build()?;
/// # host.close().await;
/// # Ok(())
/// # }
/// ```
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
#[must_use = "pass it to `.reconnect(..)` of a host or of a server"]
pub struct Reconnect {
    pub(crate) max_retries: u32,
    pub(crate) first_delay: Duration,
    pub(crate) max_delay: Duration,
}

impl Default for Reconnect {
    fn default() -> Self {
        Self { max_retries: u32::MAX, first_delay: FIRST_BACKOFF, max_delay: MAX_BACKOFF }
    }
}

impl Reconnect {
    /// Returns the default policy: unlimited retries, with delays of 0.5, 1, 2, .. up to 60 seconds.
    pub fn new() -> Self {
        Self::default()
    }

    /// Returns a policy without retries: a server that does not start, or whose connection is lost, stays in the state
    /// `Failed` until [`McpHost::reconnect`](crate::mcp_host::McpHost::reconnect) is called.
    pub fn never() -> Self {
        Self::new().max_retries(0)
    }

    /// Returns the delays before the retries.
    pub(crate) fn backoff(self) -> Backoff {
        let Self { max_retries, first_delay, max_delay } = self;
        Backoff { first_delay, max_delay, max_retries }
    }

    /// Sets the maximum number of retries in a row. After the last one, the server stays in the state `Failed` until
    /// [`McpHost::reconnect`](crate::mcp_host::McpHost::reconnect) is called. Default is no limit; 0 disables retries.
    pub fn max_retries(mut self, retries: u32) -> Self {
        self.max_retries = retries;
        self
    }

    #[doc(hidden)]
    #[deprecated(note = "renamed to `max_retries`")]
    pub fn max_attempts(self, retries: u32) -> Self {
        self.max_retries(retries)
    }

    /// Sets the delay before the first retry; each later delay is twice as long. Default is 0.5 seconds.
    pub fn first_delay(mut self, delay: Duration) -> Self {
        self.first_delay = delay;
        self
    }

    /// Sets the maximum delay before a retry. Default is 60 seconds.
    pub fn max_delay(mut self, delay: Duration) -> Self {
        self.max_delay = delay;
        self
    }
}
