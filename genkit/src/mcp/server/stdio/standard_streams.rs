//! The standard streams of this process, without blocking threads where they allow it, and
//! reserved for the protocol.

#[cfg(unix)]
use std::{
    fs::File,
    os::{fd::AsFd, unix::fs::FileTypeExt as _},
};

use rmcp::transport::stdio_pipes;
use tokio::io::{AsyncRead, AsyncWrite};
#[cfg(unix)]
use tokio::net::UnixStream;
#[cfg(unix)]
use tokio_util::either::Either;

/// Opens the streams. What functions print goes to stderr from now on, where the protocol's bytes
/// have a way of their own: `println!` in a tool would break the session otherwise.
#[cfg(unix)]
pub(super) fn open() -> (impl AsyncRead + Send + Unpin, impl AsyncWrite + Send + Unpin + 'static) {
    // Node's clients talk over sockets, which can wait without a thread as pipes do.
    if let Some((input, output)) = sockets() {
        print_to_stderr();
        return (Either::Right(input), Either::Right(output));
    }
    let (input, output) = stdio_pipes();
    if reopened() {
        print_to_stderr();
    }
    (Either::Left(input), Either::Left(output))
}

/// Opens the streams.
#[cfg(not(unix))]
pub(super) fn open() -> (impl AsyncRead + Send + Unpin, impl AsyncWrite + Send + Unpin + 'static) {
    stdio_pipes()
}

/// Both streams, if both are sockets.
#[cfg(unix)]
fn sockets() -> Option<(UnixStream, UnixStream)> {
    Some((socket(std::io::stdin())?, socket(std::io::stdout())?))
}

/// A second handle of a stream that is a socket.
#[cfg(unix)]
fn socket(stream: impl AsFd) -> Option<UnixStream> {
    let file = File::from(stream.as_fd().try_clone_to_owned().ok()?);
    if !file.metadata().ok()?.file_type().is_socket() {
        return None;
    }
    let socket = std::os::unix::net::UnixStream::from(std::os::fd::OwnedFd::from(file));
    socket.set_nonblocking(true).ok()?;
    UnixStream::from_std(socket).ok()
}

/// Whether `stdio_pipes` opened the streams anew: it does on Linux where both are pipes.
#[cfg(unix)]
fn reopened() -> bool {
    let is_pipe = |stream: Option<std::os::fd::OwnedFd>| {
        let metadata = stream.and_then(|fd| File::from(fd).metadata().ok());
        metadata.is_some_and(|metadata| metadata.file_type().is_fifo())
    };
    cfg!(target_os = "linux")
        && is_pipe(std::io::stdin().as_fd().try_clone_to_owned().ok())
        && is_pipe(std::io::stdout().as_fd().try_clone_to_owned().ok())
}

#[cfg(unix)]
fn print_to_stderr() {
    if let Err(error) = rustix::stdio::dup2_stdout(std::io::stderr()) {
        tracing::warn!(%error, "what functions print may break the session: print to stderr");
    }
}
