//! Reconnection: when a server that is not there is tried again.

use std::time::Duration;

use crate::limits::{FIRST_BACKOFF, MAX_BACKOFF};

/// Reconnection to a server that is not there, or whose connection was lost.
///
/// The first 3 connections that are lost are made anew at once. Then there are waits, each twice as long
/// as the one before; a connection that held for 10 seconds begins anew. A call that needs the server
/// does not wait for the end of a wait: it tries at once.
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
///     // This one is told about, and `host.reconnect("fs")` tries again.
///     .server("fs", ServerConfig::stdio("mcp-server-filesystem").reconnect(Reconnect::never()))
///     .build()?;
/// # host.close().await;
/// # Ok(())
/// # }
/// ```
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
#[must_use = "it is given to `.reconnect(..)` of a host or of a server"]
pub struct Reconnect {
    pub(crate) max_attempts: u32,
    pub(crate) first_delay: Duration,
    pub(crate) max_delay: Duration,
}

impl Default for Reconnect {
    fn default() -> Self {
        Self { max_attempts: u32::MAX, first_delay: FIRST_BACKOFF, max_delay: MAX_BACKOFF }
    }
}

impl Reconnect {
    /// Reconnection with the defaults: for ever, after 0.5 seconds, 1, 2 and so on up to 60.
    pub fn new() -> Self {
        Self::default()
    }

    /// No reconnection: a server that does not start, or whose connection is lost, has failed until
    /// [`McpHost::reconnect`](crate::mcp_host::McpHost::reconnect).
    pub fn never() -> Self {
        Self::new().max_attempts(0)
    }

    /// Attempt limit: how many connections in a row are tried again before the server has failed,
    /// until [`McpHost::reconnect`](crate::mcp_host::McpHost::reconnect). Default is no limit; 0 is
    /// never.
    pub fn max_attempts(mut self, attempts: u32) -> Self {
        self.max_attempts = attempts;
        self
    }

    /// First delay: the wait before a connection is tried again; each next is twice as long. Default
    /// is 0.5 seconds.
    pub fn first_delay(mut self, delay: Duration) -> Self {
        self.first_delay = delay;
        self
    }

    /// Longest delay before a connection is tried again. Default is 60 seconds.
    pub fn max_delay(mut self, delay: Duration) -> Self {
        self.max_delay = delay;
        self
    }
}
