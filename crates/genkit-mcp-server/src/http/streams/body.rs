//! The body of a response: empty, one message, or a stream of events.

use std::convert::Infallible;
use std::future::Future as _;
use std::pin::Pin;
use std::sync::Arc;
use std::task::{Context, Poll};
use std::time::Duration;

use bytes::Bytes;
use hyper::body::{Body, Frame, SizeHint};
use tokio::time::{Instant, Sleep};
use tokio_util::sync::{CancellationToken, WaitForCancellationFutureOwned};

use super::{EventStream, Read};
use genkit_core::BoxFuture;
use genkit_http_server::internal::RunningRequest;

/// The time without events after which a stream sends a keep-alive comment. Default is 15 seconds.
const KEEP_ALIVE_INTERVAL: Duration = Duration::from_secs(15);

/// A comment, which clients ignore.
const KEEP_ALIVE: &[u8] = b":\n\n";

/// Produces the events of a stream.
pub(in super::super) type Driver = BoxFuture<'static, ()>;

/// The body of a response.
pub(in super::super) struct AnswerBody {
    body: EventBody,
    /// Makes shutdown wait until the body is sent.
    pub(in super::super) counts: Option<RunningRequest>,
}

/// The content of a body.
pub(in super::super) enum EventBody {
    /// One message, or nothing.
    Whole(Option<Bytes>),
    Events(Box<Events>),
}

/// A stream of events, as sent to one client.
pub(in super::super) struct Events {
    /// An event to send before all others.
    before: Option<Bytes>,
    stream: Arc<EventStream>,
    reader: u64,
    driver: Option<Driver>,
    /// Whether the stream stays open after another reader has replaced this reader.
    stays: bool,
    /// A value that is dropped with the stream.
    kept: Option<Box<dyn Send + Sync>>,
    /// Cancelled when the client disconnects. If `None`, the request continues.
    request: Option<CancellationToken>,
    pulse: Pin<Box<Sleep>>,
    end: Pin<Box<WaitForCancellationFutureOwned>>,
    /// Resolves when the token of the client expires.
    expiry: Option<Pin<Box<Sleep>>>,
}

impl From<EventBody> for AnswerBody {
    fn from(body: EventBody) -> Self {
        Self { body, counts: None }
    }
}

impl From<Bytes> for AnswerBody {
    fn from(message: Bytes) -> Self {
        EventBody::Whole(Some(message)).into()
    }
}

impl AnswerBody {
    pub(in super::super) fn empty() -> Self {
        EventBody::Whole(None).into()
    }
}

impl Events {
    /// Creates a body with the events of `stream` after `index`. Also ends when `end` is cancelled.
    pub(in super::super) fn new(
        stream: Arc<EventStream>,
        index: u64,
        end: CancellationToken,
    ) -> Self {
        Self {
            before: None,
            reader: stream.read_from(index),
            stream,
            driver: None,
            stays: false,
            kept: None,
            request: None,
            pulse: Box::pin(tokio::time::sleep(KEEP_ALIVE_INTERVAL)),
            end: Box::pin(end.cancelled_owned()),
            expiry: None,
        }
    }

    /// Ends the stream when the token of its client expires.
    pub(in super::super) fn with_expiry(mut self, expiry: Option<Instant>) -> Self {
        self.expiry = expiry.map(|expiry| Box::pin(tokio::time::sleep_until(expiry)));
        self
    }

    /// Sends this event before all others.
    pub(in super::super) fn with_first(mut self, first: Option<Bytes>) -> Self {
        self.before = first;
        self
    }

    /// Adds the producer of the events. When the client disconnects, `request` is cancelled. Without
    /// `request`, the driver continues in its own task.
    pub(in super::super) fn with_driver(
        mut self,
        driver: Driver,
        request: Option<CancellationToken>,
    ) -> Self {
        (self.driver, self.request) = (Some(driver), request);
        self
    }

    /// Holds a value while the stream is open.
    pub(in super::super) fn with_kept(mut self, kept: impl Send + Sync + 'static) -> Self {
        self.kept = Some(Box::new(kept));
        self
    }

    /// Keeps the stream open after another reader has replaced this reader, because it has no natural end.
    pub(in super::super) fn stay_open(mut self) -> Self {
        self.stays = true;
        self
    }

    fn poll_event(&mut self, cx: &mut Context<'_>) -> Poll<Option<Bytes>> {
        if let Some(first) = self.before.take() {
            return Poll::Ready(Some(first));
        }
        if let Some(driver) = &mut self.driver
            && driver.as_mut().poll(cx).is_ready()
        {
            self.driver = None;
        }
        match self.stream.poll_read(self.reader, cx) {
            Read::Event(event) => return Poll::Ready(Some(event)),
            // A closed stream for notifications would make its client reconnect.
            Read::Displaced if self.stays => self.driver = None,
            Read::End | Read::Displaced => return Poll::Ready(None),
            Read::Nothing => {}
        }
        let expiry = self.expiry.as_mut();
        if self.end.as_mut().poll(cx).is_ready()
            || expiry.is_some_and(|expiry| expiry.as_mut().poll(cx).is_ready())
        {
            return Poll::Ready(None);
        }
        if self.pulse.as_mut().poll(cx).is_ready() {
            self.pulse.as_mut().reset(Instant::now() + KEEP_ALIVE_INTERVAL);
            // Registers the task for the new deadline.
            let _ = self.pulse.as_mut().poll(cx);
            return Poll::Ready(Some(Bytes::from_static(KEEP_ALIVE)));
        }
        Poll::Pending
    }
}

impl Drop for Events {
    fn drop(&mut self) {
        self.stream.remove_reader(self.reader);
        let Some(driver) = self.driver.take() else { return };
        match (&self.request, tokio::runtime::Handle::try_current()) {
            (None, Ok(runtime)) => drop(runtime.spawn(driver)),
            (Some(request), _) => request.cancel(),
            (None, Err(_)) => {}
        }
    }
}

impl Body for AnswerBody {
    type Data = Bytes;
    type Error = Infallible;

    fn poll_frame(
        mut self: Pin<&mut Self>,
        cx: &mut Context<'_>,
    ) -> Poll<Option<Result<Frame<Bytes>, Infallible>>> {
        let event = match &mut self.body {
            EventBody::Whole(message) => Poll::Ready(message.take()),
            EventBody::Events(events) => events.poll_event(cx),
        };
        event.map(|event| event.map(|bytes| Ok(Frame::data(bytes))))
    }

    fn is_end_stream(&self) -> bool {
        matches!(self.body, EventBody::Whole(None))
    }

    fn size_hint(&self) -> SizeHint {
        match &self.body {
            EventBody::Whole(message) => {
                SizeHint::with_exact(message.as_ref().map_or(0, |it| it.len() as u64))
            }
            EventBody::Events(_) => SizeHint::default(),
        }
    }
}
