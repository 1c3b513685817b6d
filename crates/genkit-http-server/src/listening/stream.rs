//! The byte stream of a connection: a network socket, a Unix socket, or a custom wrapper such as TLS.

use std::fmt;
use std::io;
use std::pin::Pin;
use std::sync::Arc;
use std::task::{Context, Poll};

use tokio::io::{AsyncRead, AsyncWrite, ReadBuf};
use tokio::net::TcpStream;

use super::unix_socket::UnixStream;
use genkit_core::BoxFuture;

/// A function that wraps a connection before HTTP, for example in TLS.
pub type Acceptor =
    Arc<dyn Fn(HttpStream) -> BoxFuture<'static, io::Result<HttpStream>> + Send + Sync>;

/// The byte stream of a client's connection, as passed to the acceptor of `McpServer::accept_with`.
/// Implements tokio's `AsyncRead` and `AsyncWrite`.
pub struct HttpStream(Inner);

enum Inner {
    Tcp(TcpStream),
    Unix(UnixStream),
    Other(Box<dyn Bytes>),
}

trait Bytes: AsyncRead + AsyncWrite + Send + Unpin {}

impl<T: AsyncRead + AsyncWrite + Send + Unpin> Bytes for T {}

impl HttpStream {
    pub(super) fn tcp(stream: TcpStream) -> Self {
        // With Nagle's algorithm, a response in several parts waits about 40 ms for an acknowledgement.
        let _ = stream.set_nodelay(true);
        Self(Inner::Tcp(stream))
    }
    pub(super) fn unix(stream: UnixStream) -> Self {
        Self(Inner::Unix(stream))
    }

    /// Creates a stream from any byte stream, such as a connection wrapped in TLS.
    #[doc(hidden)]
    pub fn other(stream: impl AsyncRead + AsyncWrite + Send + Unpin + 'static) -> Self {
        Self(Inner::Other(Box::new(stream)))
    }
}

impl fmt::Debug for HttpStream {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_struct("HttpStream").finish_non_exhaustive()
    }
}

/// Runs an expression on the inner stream.
macro_rules! with {
    ($stream:expr, |$inner:ident| $work:expr) => {
        match &mut $stream.0 {
            Inner::Tcp($inner) => $work,
            Inner::Unix($inner) => $work,
            Inner::Other($inner) => $work,
        }
    };
}

impl AsyncRead for HttpStream {
    fn poll_read(
        mut self: Pin<&mut Self>,
        cx: &mut Context<'_>,
        buffer: &mut ReadBuf<'_>,
    ) -> Poll<io::Result<()>> {
        with!(self, |inner| Pin::new(inner).poll_read(cx, buffer))
    }
}

impl AsyncWrite for HttpStream {
    fn poll_write(
        mut self: Pin<&mut Self>,
        cx: &mut Context<'_>,
        bytes: &[u8],
    ) -> Poll<io::Result<usize>> {
        with!(self, |inner| Pin::new(inner).poll_write(cx, bytes))
    }

    fn poll_write_vectored(
        mut self: Pin<&mut Self>,
        cx: &mut Context<'_>,
        pieces: &[io::IoSlice<'_>],
    ) -> Poll<io::Result<usize>> {
        with!(self, |inner| Pin::new(inner).poll_write_vectored(cx, pieces))
    }

    fn is_write_vectored(&self) -> bool {
        match &self.0 {
            Inner::Tcp(inner) => inner.is_write_vectored(),
            Inner::Unix(inner) => inner.is_write_vectored(),
            Inner::Other(inner) => inner.is_write_vectored(),
        }
    }

    fn poll_flush(mut self: Pin<&mut Self>, cx: &mut Context<'_>) -> Poll<io::Result<()>> {
        with!(self, |inner| Pin::new(inner).poll_flush(cx))
    }

    fn poll_shutdown(mut self: Pin<&mut Self>, cx: &mut Context<'_>) -> Poll<io::Result<()>> {
        with!(self, |inner| Pin::new(inner).poll_shutdown(cx))
    }
}
