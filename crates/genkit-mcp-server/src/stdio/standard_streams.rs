//! The standard streams of this process, without blocking threads where they allow it, and
//! reserved for the protocol.

#[cfg(unix)]
use std::{
    fs::{File, FileType},
    io,
    os::fd::{AsFd, OwnedFd},
    os::unix::fs::FileTypeExt as _,
};

use tokio::io::{AsyncRead, AsyncWrite, stdin, stdout};
#[cfg(unix)]
use tokio::process::{ChildStdin, ChildStdout};
#[cfg(unix)]
use tokio_util::either::Either;

/// Opens the streams. What functions print goes to stderr from now on, where the protocol's bytes
/// have a way of their own: `println!` in a tool would break the session otherwise.
#[cfg(unix)]
pub(super) fn open() -> (impl AsyncRead + Send + Unpin, impl AsyncWrite + Send + Unpin + 'static) {
    // Node's clients talk over sockets, which can wait without a thread as pipes do.
    match sockets().or_else(pipes) {
        Some((input, output)) => {
            print_to_stderr();
            (Either::Right(input), Either::Right(output))
        }
        None => (Either::Left(stdin()), Either::Left(stdout())),
    }
}

/// Opens the streams.
#[cfg(not(unix))]
pub(super) fn open() -> (impl AsyncRead + Send + Unpin, impl AsyncWrite + Send + Unpin + 'static) {
    (stdin(), stdout())
}

/// Both streams, if both are sockets.
#[cfg(unix)]
fn sockets() -> Option<(ChildStdout, ChildStdin)> {
    let input = io::stdin().as_fd().try_clone_to_owned().ok()?;
    let output = io::stdout().as_fd().try_clone_to_owned().ok()?;
    polled(kind(input, FileType::is_socket)?, kind(output, FileType::is_socket)?)
}

/// Both streams, if both are pipes: opened anew, so that not waiting is their affair alone, and not that of
/// children and of `println!`.
#[cfg(target_os = "linux")]
fn pipes() -> Option<(ChildStdout, ChildStdin)> {
    use rustix::fs::{Mode, OFlags, open};

    let again = |path: &str, mode: OFlags| {
        let flags = mode | OFlags::NONBLOCK | OFlags::CLOEXEC;
        kind(open(path, flags, Mode::empty()).ok()?, FileType::is_fifo)
    };
    let input = again("/proc/self/fd/0", OFlags::RDONLY)?;
    polled(input, again("/proc/self/fd/1", OFlags::WRONLY)?)
}

#[cfg(all(unix, not(target_os = "linux")))]
fn pipes() -> Option<(ChildStdout, ChildStdin)> {
    None
}

/// Both, waited for by the runtime. These types of tokio are for any descriptor that is read or written without
/// waiting; those of its network would need all of it.
#[cfg(unix)]
fn polled(input: OwnedFd, output: OwnedFd) -> Option<(ChildStdout, ChildStdin)> {
    let input = ChildStdout::from_std(input.into()).ok()?;
    Some((input, ChildStdin::from_std(output.into()).ok()?))
}

/// The descriptor, if it is of that kind.
#[cfg(unix)]
fn kind(stream: OwnedFd, is: fn(&FileType) -> bool) -> Option<OwnedFd> {
    let file = File::from(stream);
    let found = file.metadata().ok()?.file_type();
    is(&found).then(|| file.into())
}

#[cfg(unix)]
fn print_to_stderr() {
    if let Err(error) = rustix::stdio::dup2_stdout(std::io::stderr()) {
        tracing::warn!(%error, "what functions print may break the session: print to stderr");
    }
}
