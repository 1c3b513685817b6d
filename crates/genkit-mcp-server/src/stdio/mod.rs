//! MCP over the standard streams, or any other pair of byte streams: one JSON message on each line.
//!
//! The task of the connection reads, finds, calls and writes. A function that returns at once never
//! leaves it; one that waits goes on in a task of its own, so that the next line is read meanwhile.

mod connection;
mod line_outlet;
mod standard_streams;
mod stoppable;
#[cfg(test)]
mod tests;

use std::time::Duration;

use tokio::io::{AsyncRead, AsyncWrite};
use tokio_util::sync::CancellationToken;

pub(crate) use self::connection::StdioConnection;
use self::stoppable::StoppableReader;
use super::settings::MAX_LINE_BYTES;

/// Bytes that may wait to be written before nothing more is read. Default is 4 MiB.
pub(crate) const MAX_QUEUED_BYTES: usize = 4 * 1024 * 1024;

/// How long the end of a session waits for a client to read what is left. Default is 2 seconds.
pub(crate) const CLOSE_FLUSH: Duration = Duration::from_secs(2);

/// How long the end of input waits for functions that run. Default is 5 seconds.
pub(crate) const FINISH: Duration = Duration::from_secs(5);

/// What a connection holds at most, and for how long.
#[derive(Debug, Clone, Copy)]
pub(crate) struct StdioLimits {
    /// Longest line that is read, its end not counted.
    pub(crate) line_bytes: usize,
    /// Bytes that may wait to be written before nothing more is read.
    pub(crate) queued_bytes: usize,
    /// How long the end of a session waits for a client to read what is left.
    pub(crate) close_flush: Duration,
    /// How long the end of input waits for requests that are not answered.
    pub(crate) finish: Duration,
}

impl Default for StdioLimits {
    fn default() -> Self {
        Self {
            line_bytes: MAX_LINE_BYTES,
            queued_bytes: MAX_QUEUED_BYTES,
            close_flush: CLOSE_FLUSH,
            finish: FINISH,
        }
    }
}

/// This process's standard streams, without blocking threads where both are pipes or both are
/// sockets. The input ends when the client closes it or `stop` is cancelled.
///
/// # Panics
///
/// Panics outside of a tokio runtime.
pub(crate) fn process_streams(
    stop: CancellationToken,
) -> (impl AsyncRead + Send + Unpin, impl AsyncWrite + Send + Unpin + 'static) {
    let (reader, writer) = standard_streams::open();
    (StoppableReader::new(reader, stop), writer)
}
