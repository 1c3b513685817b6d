//! The standard streams of this process, on systems other than Unix.

use tokio::io::{Stdin, Stdout, stdin, stdout};

/// Opens the streams.
pub(super) fn open_streams() -> (Stdin, Stdout) {
    (stdin(), stdout())
}
