//! The standard streams of this process on Unix: without blocking threads if possible, and reserved for the protocol.

use std::fs::{File, FileType};
use std::io;
use std::os::fd::{AsFd, OwnedFd};
use std::os::unix::fs::FileTypeExt as _;

use tokio::io::{AsyncRead, AsyncWrite, stdin, stdout};
use tokio::process::{ChildStdin, ChildStdout};
use tokio_util::either::Either;

/// Opens the streams. If they are sockets or pipes, the output of `println!` then goes to stderr, because it would
/// otherwise corrupt the protocol on stdout.
pub(super) fn open_streams()
-> (impl AsyncRead + Send + Unpin, impl AsyncWrite + Send + Unpin + 'static) {
    // Node.js clients use sockets. Like pipes, these need no blocking thread.
    match sockets().or_else(pipes) {
        Some((input, output)) => {
            print_to_stderr();
            (Either::Right(input), Either::Right(output))
        }
        None => (Either::Left(stdin()), Either::Left(stdout())),
    }
}

/// Returns both streams if both are sockets.
fn sockets() -> Option<(ChildStdout, ChildStdin)> {
    let input = io::stdin().as_fd().try_clone_to_owned().ok()?;
    let output = io::stdout().as_fd().try_clone_to_owned().ok()?;
    register_streams(
        filter_by_kind(input, FileType::is_socket)?,
        filter_by_kind(output, FileType::is_socket)?,
    )
}

/// Returns both streams if both are pipes. They are reopened, so that non-blocking mode does not affect
/// child processes and `println!`.
#[cfg(target_os = "linux")]
fn pipes() -> Option<(ChildStdout, ChildStdin)> {
    use rustix::fs::{Mode, OFlags, open};

    let again = |path: &str, mode: OFlags| {
        let flags = mode | OFlags::NONBLOCK | OFlags::CLOEXEC;
        filter_by_kind(open(path, flags, Mode::empty()).ok()?, FileType::is_fifo)
    };
    let input = again("/proc/self/fd/0", OFlags::RDONLY)?;
    register_streams(input, again("/proc/self/fd/1", OFlags::WRONLY)?)
}

#[cfg(not(target_os = "linux"))]
fn pipes() -> Option<(ChildStdout, ChildStdin)> {
    None
}

/// Registers both streams with the runtime. These tokio types work with any non-blocking descriptor;
/// the types of tokio's `net` feature would require all of that feature.
fn register_streams(input: OwnedFd, output: OwnedFd) -> Option<(ChildStdout, ChildStdin)> {
    let input = ChildStdout::from_std(input.into()).ok()?;
    Some((input, ChildStdin::from_std(output.into()).ok()?))
}

/// Returns the descriptor if its file type matches.
fn filter_by_kind(stream: OwnedFd, is: fn(&FileType) -> bool) -> Option<OwnedFd> {
    let file = File::from(stream);
    let found = file.metadata().ok()?.file_type();
    is(&found).then(|| file.into())
}

fn print_to_stderr() {
    if let Err(error) = rustix::stdio::dup2_stdout(std::io::stderr()) {
        tracing::warn!(%error, "cannot redirect the output of functions from stdout to stderr; print only to stderr, or the session may break");
    }
}
