//! A function that runs for a client.

use std::future::Future;
use std::panic::{AssertUnwindSafe, catch_unwind};
use std::pin::Pin;
use std::sync::Arc;
use std::sync::atomic::{AtomicU64, Ordering};
use std::task::{Context, Poll, Waker, ready};
use std::time::{Duration, Instant};

use rmcp::model::ErrorData;

use super::request_span::RequestSpan;
use crate::caller::message;
use crate::caller::message::Reply;
use crate::session::OpenRequest;
use genkit_core::BoxFuture;

/// The time that a function can block the task of its connection in one poll. Later calls to a function that takes
/// longer run in their own task. Default is 1 millisecond.
const LONG_POLL: Duration = Duration::from_millis(1);

/// A running request. Resolves to its response, or to `None` if the client no longer waits for a response.
#[must_use = "a call does nothing unless it is polled"]
pub(crate) struct Call {
    work: CallWork,
    /// `None` once the request has ended.
    open: Option<OpenRequest>,
    /// Identifies the function, for [`SlowFunctions`].
    function: u64,
    /// The span, if tracing is enabled.
    told: Option<Box<RequestSpan>>,
}

/// The result of polling a call once in the task of its connection.
pub(crate) enum FirstPoll {
    Ended(Option<Reply>),
    /// The call waits, so another task must continue to poll it.
    Waits(Call),
}

impl Call {
    /// Creates a call that runs `work` to respond to `open`. If it panics, the response is an error.
    pub(super) fn new(function: u64, open: OpenRequest, work: CallWork) -> Self {
        Self { work, open: Some(open), function, told: None }
    }

    /// Adds a span that records the call and its outcome.
    pub(super) fn with_span(mut self, told: Box<RequestSpan>) -> Self {
        self.told = Some(told);
        self
    }

    /// Returns the id of the request, until it has ended.
    #[cfg(all(feature = "http", feature = "durable"))]
    pub(crate) fn id(&self) -> Option<&rmcp::model::RequestId> {
        self.open.as_ref().map(OpenRequest::id)
    }

    /// Polls the call once in the task of its connection, unless its function is known to be slow.
    pub(crate) fn poll_first(mut self, slow: &SlowFunctions) -> FirstPoll {
        if slow.has_function(self.function) {
            return FirstPoll::Waits(self);
        }
        let started = Instant::now();
        // The task that continues the call polls it immediately, so this poll needs no waker.
        let polled = Pin::new(&mut self).poll(&mut Context::from_waker(Waker::noop()));
        if started.elapsed() > LONG_POLL {
            slow.add(self.function);
        }
        match polled {
            Poll::Ready(answer) => FirstPoll::Ended(answer),
            Poll::Pending => FirstPoll::Waits(self),
        }
    }
}

/// The work of a request.
pub(super) type CallWork = BoxFuture<'static, Result<Reply, ErrorData>>;

impl Future for Call {
    type Output = Option<Reply>;

    fn poll(mut self: Pin<&mut Self>, context: &mut Context<'_>) -> Poll<Self::Output> {
        let Self { work, told, .. } = &mut *self;
        let inside = told.as_ref().map(|told| told.span().enter());
        // After a panic, the work is not polled again, because the call ends here.
        let ended = match catch_unwind(AssertUnwindSafe(|| work.as_mut().poll(context))) {
            Ok(polled) => Ok(ready!(polled)),
            Err(panic) => Err(panic),
        };
        drop(inside);
        let told = told.take();
        let Some(open) = self.open.take() else { return Poll::Ready(None) };
        let id = open.id().clone();
        if !open.finish_request() {
            return Poll::Ready(None);
        }
        let reply = match ended {
            Ok(Ok(reply)) => reply,
            Ok(Err(error)) => message::error_reply(Some(&id), &error),
            Err(_) => {
                tracing::error!("a request panicked outside its function");
                let error = ErrorData::internal_error("the request failed", None);
                message::error_reply(Some(&id), &error)
            }
        };
        if let Some(told) = told {
            told.end_span(&reply);
        }
        Poll::Ready(Some(reply))
    }
}

/// A probabilistic set of the functions whose first poll blocks for long. A false positive only costs an
/// additional task.
#[derive(Clone, Default)]
pub(crate) struct SlowFunctions(Arc<[AtomicU64; 16]>);

impl SlowFunctions {
    fn has_function(&self, function: u64) -> bool {
        let (word, bit) = self.bit_of(function);
        word.load(Ordering::Relaxed) & bit != 0
    }

    fn add(&self, function: u64) {
        let (word, bit) = self.bit_of(function);
        word.fetch_or(bit, Ordering::Relaxed);
    }

    fn bit_of(&self, function: u64) -> (&AtomicU64, u64) {
        let word = usize::try_from(function % 16).unwrap_or_default();
        (&self.0[word], 1 << (function / 16 % 64))
    }
}
