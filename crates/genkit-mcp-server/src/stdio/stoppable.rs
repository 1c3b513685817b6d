//! A reader whose input ends when the server is stopped.

use std::future::Future;
use std::io;
use std::pin::Pin;
use std::task::{Context, Poll};

use tokio::io::{AsyncRead, ReadBuf};
use tokio_util::sync::{CancellationToken, WaitForCancellationFutureOwned};

/// A reader that reports the end of input when a token is cancelled.
pub(crate) struct StoppableReader<R> {
    reader: R,
    stop: Pin<Box<WaitForCancellationFutureOwned>>,
    stopped: bool,
}

impl<R> StoppableReader<R> {
    pub(crate) fn new(reader: R, stop: CancellationToken) -> Self {
        Self { reader, stop: Box::pin(stop.cancelled_owned()), stopped: false }
    }
}

impl<R: AsyncRead + Unpin> AsyncRead for StoppableReader<R> {
    fn poll_read(
        mut self: Pin<&mut Self>,
        context: &mut Context<'_>,
        buffer: &mut ReadBuf<'_>,
    ) -> Poll<io::Result<()>> {
        if self.stopped || self.stop.as_mut().poll(context).is_ready() {
            self.stopped = true;
            return Poll::Ready(Ok(()));
        }
        Pin::new(&mut self.reader).poll_read(context, buffer)
    }
}

#[cfg(test)]
mod tests {
    use tokio::io::{AsyncReadExt as _, AsyncWriteExt as _};

    use super::*;

    #[tokio::test]
    async fn reader_stops_when_cancelled() {
        let (mut sender, receiver) = tokio::io::duplex(64);
        let stop = CancellationToken::new();
        let mut reader = StoppableReader::new(receiver, stop.clone());
        sender.write_all(b"abc").await.expect("capacity");
        let mut read = [0; 8];
        assert_eq!(reader.read(&mut read).await.expect("bytes"), 3);
        let waiting = tokio::spawn(async move { (reader.read(&mut read).await, reader) });
        tokio::task::yield_now().await;
        stop.cancel();
        let (end, mut reader) = waiting.await.expect("an end");
        assert_eq!(end.expect("no error"), 0);
        sender.write_all(b"more").await.expect("capacity");
        assert_eq!(reader.read(&mut [0; 8]).await.expect("no error"), 0);
    }
}
