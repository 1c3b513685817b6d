//! The body of an answer: nothing, one message, or a stream of events.

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

/// How long a stream may be silent before the client is told that it is still there. Default is 15
/// seconds.
const PULSE: Duration = Duration::from_secs(15);

/// A comment, which clients pass over.
const STILL_THERE: &[u8] = b":\n\n";

/// What makes the events of a stream, until there are no more.
pub(in super::super) type Driver = BoxFuture<'static, ()>;

/// An answer as it is sent.
pub(in super::super) struct AnswerBody {
    body: EventBody,
    /// The server waits for it when it is told to stop.
    pub(in super::super) counts: Option<RunningRequest>,
}

/// What is sent.
pub(in super::super) enum EventBody {
    /// One message, or nothing.
    Whole(Option<Bytes>),
    Events(Box<Events>),
}

/// A stream of events, as one client reads it.
pub(in super::super) struct Events {
    /// What is said before anything else.
    before: Option<Bytes>,
    stream: Arc<EventStream>,
    reader: u64,
    driver: Option<Driver>,
    /// Also when somebody else reads.
    stays: bool,
    /// What is in use as long.
    kept: Option<Box<dyn Send + Sync>>,
    /// Cancelled where a request ends with its connection; without, it goes on.
    request: Option<CancellationToken>,
    pulse: Pin<Box<Sleep>>,
    end: Pin<Box<WaitForCancellationFutureOwned>>,
    /// The token of its client expires.
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
    /// What `stream` has from the event after `index` on. It ends, too, when `end` is cancelled.
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
            pulse: Box::pin(tokio::time::sleep(PULSE)),
            end: Box::pin(end.cancelled_owned()),
            expiry: None,
        }
    }

    /// Until the token of its client expires, if it does.
    pub(in super::super) fn until(mut self, expiry: Option<Instant>) -> Self {
        self.expiry = expiry.map(|expiry| Box::pin(tokio::time::sleep_until(expiry)));
        self
    }

    /// With an event before all others.
    pub(in super::super) fn after(mut self, first: Option<Bytes>) -> Self {
        self.before = first;
        self
    }

    /// With what makes the events: it goes on without the client, or `request` is cancelled then.
    pub(in super::super) fn driven(
        mut self,
        driver: Driver,
        request: Option<CancellationToken>,
    ) -> Self {
        (self.driver, self.request) = (Some(driver), request);
        self
    }

    /// Keeps something in use.
    pub(in super::super) fn keeping(mut self, kept: impl Send + Sync + 'static) -> Self {
        self.kept = Some(Box::new(kept));
        self
    }

    /// Stays open when somebody else reads: it has no end of its own.
    pub(in super::super) fn staying(mut self) -> Self {
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
            // A stream that belongs to no request stays open, so that its client does not come back.
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
            self.pulse.as_mut().reset(Instant::now() + PULSE);
            // Whoever waits must be woken by the new time.
            let _ = self.pulse.as_mut().poll(cx);
            return Poll::Ready(Some(Bytes::from_static(STILL_THERE)));
        }
        Poll::Pending
    }
}

impl Drop for Events {
    fn drop(&mut self) {
        self.stream.leave(self.reader);
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
