//! Unix sockets, whose files are removed when the server ends.

use std::fs;
use std::io;
use std::os::unix::fs::FileTypeExt as _;
use std::os::unix::net::UnixStream as StdStream;
use std::path::{Path, PathBuf};

use tokio::net::UnixListener;
pub(super) use tokio::net::UnixStream;

/// A listener on a Unix socket.
pub struct UnixSocket {
    listener: UnixListener,
    /// The socket file to remove on drop, if this process created it.
    own: Option<PathBuf>,
}

impl UnixSocket {
    /// Creates the socket. Removes a socket file that a terminated process left behind.
    pub(super) fn bind(path: &Path) -> io::Result<Self> {
        let is_socket = fs::symlink_metadata(path).is_ok_and(|it| it.file_type().is_socket());
        let is_left = || {
            let asked = StdStream::connect(path);
            asked.is_err_and(|error| error.kind() == io::ErrorKind::ConnectionRefused)
        };
        if is_socket && is_left() {
            fs::remove_file(path)?;
        }
        Ok(Self { listener: UnixListener::bind(path)?, own: Some(path.to_owned()) })
    }

    /// Uses a socket that is already bound. Its file is not removed.
    pub(super) fn from_listener(listener: std::os::unix::net::UnixListener) -> io::Result<Self> {
        listener.set_nonblocking(true)?;
        Ok(Self { listener: UnixListener::from_std(listener)?, own: None })
    }

    pub(super) async fn accept(&self) -> io::Result<UnixStream> {
        self.listener.accept().await.map(|(stream, _)| stream)
    }

    /// Returns the path, or an empty string if it is unknown.
    pub(super) fn path(&self) -> String {
        let address = self.listener.local_addr().ok();
        let path = address.as_ref().and_then(|address| address.as_pathname());
        path.map(|path| path.display().to_string()).unwrap_or_default()
    }
}

impl Drop for UnixSocket {
    fn drop(&mut self) {
        if let Some(path) = &self.own {
            // If this fails, the next server removes the file.
            let _ = fs::remove_file(path);
        }
    }
}
