//! Streamed responses. A flow runs while its client reads, and stops when the client disconnects.

use std::convert::Infallible;
use std::pin::Pin;
use std::sync::{Arc, Mutex};
use std::task::{Context, Poll, Waker};
use std::time::Duration;

use axum::body::{Body, Bytes};
use axum::http::HeaderValue;
use axum::http::header::{CACHE_CONTROL, CONTENT_TYPE};
use axum::response::Response;
use futures_util::{Stream, StreamExt as _};
use serde_json::Value;
use tokio::sync::mpsc;
use tokio::task::AbortHandle;
use tokio_util::sync::DropGuard;

use super::answer::FlowErrorResponse;
use super::error::Error as E;
use super::frames::encode_frame;
use super::gate::FrameMemory;
use super::run::{AdmittedFlow, FlowRun};
use super::shared::{FlowEndpoint, FlowSlot};
use crate::server::store::StreamEvent;
use genkit_core::BoxFuture;
use genkit_core::internal::sync::lock;

/// The additional time that a client has to read a stream, beyond the time limit of its flow. Default is 30 seconds.
const READ_GRACE: Duration = Duration::from_secs(30);

/// The number of unread chunks after which a flow waits.
pub(super) const CHUNKS: usize = 1;

type FlowWork = BoxFuture<'static, Result<Value, FlowErrorResponse>>;

/// A body that sends events as frames. Ends with an error if the client does not read them in time.
pub(super) struct FlowFrames<S> {
    events: Arc<Mutex<FrameSource<S>>>,
    limit: Duration,
    memory: FrameMemory,
    watchdog: AbortHandle,
    /// A frame was produced; the next poll returns pending, so that the connection flushes it.
    flush: bool,
    ended: bool,
}

/// The source of a response's events.
enum FrameSource<S> {
    /// Not being polled, with the waker to notify.
    Waiting(S, Option<Waker>),
    /// Being polled; the poller holds the events.
    Polled,
    /// The time limit for reading has passed.
    Overdue,
}

/// A flow that runs while it is polled.
struct StreamedFlow {
    work: FlowWork,
    cancel: Option<DropGuard>,
    chunks: mpsc::Receiver<Value>,
    done: Option<Result<Value, FlowErrorResponse>>,
    _place: FlowSlot,
}

impl FlowEndpoint {
    /// Runs a flow and streams its events.
    pub(super) fn stream(self: &Arc<Self>, admitted: AdmittedFlow) -> Response {
        let (sender, chunks) = mpsc::channel(CHUNKS);
        let client = admitted.client.clone();
        let FlowRun { work, cancel, place, trace } = self.start_flow(admitted, Some(sender));
        let work = Box::pin(work) as FlowWork;
        let flow = StreamedFlow { work, cancel: Some(cancel), chunks, done: None, _place: place };
        trace.on(self.frames(flow, client))
    }

    /// Builds the response for `events`, which are dropped if the client does not read them in time. Its frames count as
    /// memory of `client`.
    pub(super) fn frames<S>(&self, events: S, client: String) -> Response
    where
        S: Stream<Item = StreamEvent> + Send + Unpin + 'static,
    {
        let memory = FrameMemory::new(&self.memory, client);
        let frames = FlowFrames::new(events, self.timeout.saturating_add(READ_GRACE), memory);
        event_stream(Body::from_stream(frames))
    }
}

/// Builds the response that sends the frames from `receiver`, and drops `held` when all are sent.
pub fn frames_response(receiver: mpsc::Receiver<Bytes>, held: impl Send + 'static) -> Response {
    let frames = futures_util::stream::unfold((receiver, held), |mut unsent| async move {
        let frame = unsent.0.recv().await?;
        Some((Ok::<_, Infallible>(frame), unsent))
    });
    event_stream(Body::from_stream(frames))
}

/// Builds a response with a body of frames.
fn event_stream(body: Body) -> Response {
    let mut response = Response::new(body);
    let headers = response.headers_mut();
    headers.insert(CONTENT_TYPE, HeaderValue::from_static("text/event-stream"));
    headers.insert(CACHE_CONTROL, HeaderValue::from_static("no-cache"));
    response
}

impl<S: Stream<Item = StreamEvent> + Send + Unpin + 'static> FlowFrames<S> {
    fn new(events: S, limit: Duration, memory: FrameMemory) -> Self {
        let events = Arc::new(Mutex::new(FrameSource::Waiting(events, None)));
        // If the client does not read, the flow is not polled and its own time limit is never checked.
        let watched = Arc::clone(&events);
        let watchdog = tokio::spawn(async move {
            tokio::time::sleep(limit).await;
            let overdue = std::mem::replace(&mut *lock(&watched), FrameSource::Overdue);
            if let FrameSource::Waiting(events, waker) = overdue {
                drop(events);
                waker.into_iter().for_each(Waker::wake);
            }
        });
        let watchdog = watchdog.abort_handle();
        Self { events, limit, memory, watchdog, flush: false, ended: false }
    }

    fn poll_event(&mut self, cx: &mut Context<'_>) -> Poll<Option<StreamEvent>> {
        if self.ended {
            return Poll::Ready(None);
        }
        // Take the events out of the lock, because polling them can block the thread, and the watchdog must not wait
        // for that.
        let taken = std::mem::replace(&mut *lock(&self.events), FrameSource::Polled);
        let FrameSource::Waiting(mut events, _) = taken else {
            self.ended = true;
            let overdue =
                || StreamEvent::Error(FlowErrorResponse::from(E::SlowReader(self.limit)).json);
            return Poll::Ready(matches!(taken, FrameSource::Overdue).then(overdue));
        };
        let event = events.poll_next_unpin(cx);
        self.ended = match &event {
            Poll::Ready(event) => event.as_ref().is_none_or(StreamEvent::is_last),
            Poll::Pending => false,
        };
        if !self.ended {
            let mut place = lock(&self.events);
            if matches!(*place, FrameSource::Polled) {
                *place = FrameSource::Waiting(events, Some(cx.waker().clone()));
            } else {
                // The time limit passed in the meantime; the next poll reports it.
                drop(place);
                cx.waker().wake_by_ref();
            }
        }
        event
    }
}

impl Stream for StreamedFlow {
    type Item = StreamEvent;

    fn poll_next(mut self: Pin<&mut Self>, cx: &mut Context<'_>) -> Poll<Option<StreamEvent>> {
        // Send pending chunks before the flow continues.
        if let Poll::Ready(Some(chunk)) = self.chunks.poll_recv(cx) {
            return Poll::Ready(Some(StreamEvent::Chunk(chunk)));
        }
        if self.done.is_none() {
            if let Poll::Ready(done) = self.work.as_mut().poll(cx) {
                self.done = Some(done);
                // The flow finished, so its context must not be cancelled.
                if let Some(cancel) = self.cancel.take() {
                    cancel.disarm();
                }
            }
            if let Poll::Ready(Some(chunk)) = self.chunks.poll_recv(cx) {
                return Poll::Ready(Some(StreamEvent::Chunk(chunk)));
            }
        }
        match self.done.take() {
            Some(Ok(result)) => Poll::Ready(Some(StreamEvent::Result(result))),
            Some(Err(failure)) => Poll::Ready(Some(StreamEvent::Error(failure.json))),
            None => Poll::Pending,
        }
    }
}

impl<S: Stream<Item = StreamEvent> + Send + Unpin + 'static> Stream for FlowFrames<S> {
    type Item = Result<Bytes, Infallible>;

    fn poll_next(mut self: Pin<&mut Self>, cx: &mut Context<'_>) -> Poll<Option<Self::Item>> {
        // Flush each frame: the connection flushes when the body is pending.
        if std::mem::take(&mut self.flush) {
            cx.waker().wake_by_ref();
            return Poll::Pending;
        }
        self.poll_event(cx).map(|event| {
            let event = event?;
            self.flush = !event.is_last();
            let counted = self.memory.count_frame(encode_frame(&event)).unwrap_or_else(|full| {
                (self.flush, self.ended) = (false, true);
                encode_frame(&StreamEvent::Error(full.to_json()))
            });
            Some(Ok(counted))
        })
    }
}

impl<S> Drop for FlowFrames<S> {
    fn drop(&mut self) {
        self.watchdog.abort();
    }
}

#[cfg(test)]
mod tests {
    use futures_util::stream;
    use genkit_http_server::internal::FairLimit;

    use super::*;

    fn memory() -> FrameMemory {
        FrameMemory::new(&FairLimit::for_memory(0), "ada".to_owned())
    }

    #[tokio::test]
    async fn frames_that_are_not_sent_count_as_memory_of_the_client() {
        let memory = memory();
        let many = || {
            let text = "x".repeat(16 * 1024 * 1024);
            stream::iter([StreamEvent::Chunk(text.into()), StreamEvent::Result(Value::Null)])
        };
        let mut unsent = Vec::new();
        let rejected = loop {
            let mut frames = FlowFrames::new(many(), Duration::from_secs(60), memory.clone());
            let frame = frames.next().await.unwrap().unwrap();
            if frame.len() < 1000 {
                assert!(frames.next().await.is_none(), "the stream ends");
                break String::from_utf8(frame.to_vec()).unwrap();
            }
            unsent.push(frame);
        };
        assert_eq!(unsent.len(), 4, "half of 128 MiB");
        assert!(rejected.contains("RESOURCE_EXHAUSTED"), "{rejected}");
        drop(unsent);
        let mut frames = FlowFrames::new(many(), Duration::from_secs(60), memory);
        assert!(frames.next().await.unwrap().unwrap().len() > 1000);
    }

    /// Returns the frames of `events`, read after `wait`.
    async fn read_after(
        wait: Duration,
        events: impl Stream<Item = StreamEvent> + Send + Unpin + 'static,
    ) -> Vec<String> {
        let frames = FlowFrames::new(events, Duration::from_secs(1), memory());
        tokio::time::sleep(wait).await;
        let text =
            |frame: Result<Bytes, Infallible>| String::from_utf8(frame.unwrap().to_vec()).unwrap();
        frames.map(text).collect().await
    }

    #[tokio::test(start_paused = true)]
    async fn unread_stream_is_dropped_and_ends_with_deadline_exceeded() {
        let (alive, dropped) = tokio::sync::oneshot::channel::<()>();
        let events = stream::iter([1, 2]).map(move |n| {
            let _alive = &alive;
            StreamEvent::Chunk(n.into())
        });
        let events = events.chain(stream::pending());
        let reading = tokio::spawn(read_after(Duration::from_secs(3), events));
        assert!(dropped.await.is_err(), "the events are dropped before the client reads");
        let frames = reading.await.unwrap();
        assert_eq!(frames.len(), 1, "{frames:?}");
        assert!(frames[0].contains("DEADLINE_EXCEEDED"), "{frames:?}");
    }

    #[tokio::test(start_paused = true)]
    async fn slow_stream_ends_with_deadline_exceeded_while_read() {
        let events =
            stream::iter([StreamEvent::Chunk(1.into())]).chain(stream::unfold((), |()| async {
                tokio::time::sleep(Duration::from_millis(300)).await;
                Some((StreamEvent::Chunk(2.into()), ()))
            }));
        let frames = read_after(Duration::ZERO, Box::pin(events)).await;
        assert_eq!(frames.len(), 5, "{frames:?}");
        assert!(frames[4].contains("DEADLINE_EXCEEDED"), "{frames:?}");
    }

    #[tokio::test]
    async fn a_poll_that_blocks_does_not_block_the_watchdog() {
        type Once = stream::Once<BoxFuture<'static, StreamEvent>>;

        let place = Arc::new(std::sync::OnceLock::<Arc<Mutex<FrameSource<Once>>>>::new());
        let inside = Arc::clone(&place);
        let events: BoxFuture<'static, StreamEvent> = Box::pin(async move {
            let place = inside.get().expect("it is set before it is polled");
            assert!(place.try_lock().is_ok(), "the watchdog can lock it");
            StreamEvent::Result(Value::Null)
        });
        let mut frames = FlowFrames::new(stream::once(events), Duration::from_secs(1), memory());
        assert!(place.set(Arc::clone(&frames.events)).is_ok());
        assert!(frames.next().await.is_some());
        assert!(frames.next().await.is_none());
    }
}
