//! MCP over the standard streams, or any other pair of byte streams, with one JSON message per line.
//!
//! The task of the connection reads lines, dispatches and runs calls, and writes responses. A
//! function that returns without waiting runs entirely in this task. A function that waits continues
//! in its own task, so that the next line can be read.

mod connection;
mod line_outlet;
#[cfg_attr(not(unix), path = "standard_streams_other.rs")]
mod standard_streams;
mod stoppable;
#[cfg(test)]
mod tests;

use std::time::Duration;

use tokio::io::{AsyncRead, AsyncWrite};
use tokio_util::sync::CancellationToken;

pub(crate) use self::connection::StdioConnection;
pub(crate) use self::stoppable::StoppableReader;
use super::settings::MAX_LINE_BYTES;

/// The number of queued bytes above which the connection stops reading. Default is 4 MiB.
pub(crate) const MAX_QUEUED_BYTES: usize = 4 * 1024 * 1024;

/// The time that the client has to read the remaining output at the end of a session. Default is 2
/// seconds.
pub(crate) const CLOSE_FLUSH: Duration = Duration::from_secs(2);

/// The time that running functions have to finish after the end of input. Default is 5 seconds.
pub(crate) const FINISH: Duration = Duration::from_secs(5);

/// The limits of a connection.
#[derive(Debug, Clone, Copy)]
pub(crate) struct StdioLimits {
    /// The maximum length of a line, in bytes, without its line ending.
    pub(crate) line_bytes: usize,
    /// The number of queued bytes above which the connection stops reading.
    pub(crate) queued_bytes: usize,
    /// The time that the client has to read the remaining output at the end of a session.
    pub(crate) close_flush: Duration,
    /// The time that running functions have to finish after the end of input.
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

/// Opens the standard streams of this process, without blocking threads if both are sockets on Unix, or both are pipes
/// on Linux. The input ends when the client closes it or `stop` is cancelled.
///
/// # Panics
///
/// Panics outside a tokio runtime.
pub(crate) fn process_streams(
    stop: CancellationToken,
) -> (impl AsyncRead + Send + Unpin, impl AsyncWrite + Send + Unpin + 'static) {
    let (reader, writer) = standard_streams::open_streams();
    (StoppableReader::new(reader, stop), writer)
}
