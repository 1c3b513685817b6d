//! A function that runs for a client.

use std::future::Future;
use std::panic::{AssertUnwindSafe, catch_unwind};
use std::pin::Pin;
use std::sync::Arc;
use std::sync::atomic::{AtomicU64, Ordering};
use std::task::{Context, Poll, Waker, ready};
use std::time::{Duration, Instant};

use rmcp::model::{ErrorData, RequestId};
use tokio_util::sync::CancellationToken;

use super::told::Told;
use crate::caller::message;
use crate::caller::message::Reply;
use crate::session::OpenRequest;
use genkit_core::BoxFuture;

/// A function that held the task of its connection for longer gets a task of its own from then on.
/// Default is 1 millisecond.
const LONG_POLL: Duration = Duration::from_millis(1);

/// A request that runs: it resolves to its answer, or to `None` where nobody waits for one any more.
#[must_use = "a call runs as long as it is polled"]
pub(crate) struct Call {
    work: CallWork,
    /// Until it has ended.
    open: Option<OpenRequest>,
    cancel: CancellationToken,
    /// Which function it is, for [`SlowFunctions`].
    function: u64,
    /// Where somebody listens.
    told: Option<Box<Told>>,
}

/// What became of a call that was begun where its connection is served.
pub(crate) enum Begun {
    Ended(Option<Reply>),
    /// It waits: somebody else must go on with it.
    Waits(Call),
}

impl Call {
    /// Runs `work` until it answers `open`; a panic is an answer, too.
    pub(super) fn new(
        function: u64,
        open: OpenRequest,
        cancel: CancellationToken,
        work: CallWork,
    ) -> Self {
        Self { work, open: Some(open), cancel, function, told: None }
    }

    /// The same, which says in a span what becomes of it.
    pub(super) fn told(mut self, told: Box<Told>) -> Self {
        self.told = Some(told);
        self
    }

    /// The id of its request, until it has ended.
    #[cfg(all(feature = "http", feature = "durable"))]
    pub(crate) fn id(&self) -> Option<&RequestId> {
        self.open.as_ref().map(OpenRequest::id)
    }

    /// Polls it once in the task of its connection, unless it is known to take long.
    pub(crate) fn begin(mut self, slow: &SlowFunctions) -> Begun {
        if slow.contains(self.function) {
            return Begun::Waits(self);
        }
        let started = Instant::now();
        // Who goes on with it polls at once, and is woken from then on.
        let polled = Pin::new(&mut self).poll(&mut Context::from_waker(Waker::noop()));
        if started.elapsed() > LONG_POLL {
            slow.add(self.function);
        }
        match polled {
            Poll::Ready(answer) => Begun::Ended(answer),
            Poll::Pending => Begun::Waits(self),
        }
    }
}

/// What is run for a request.
pub(super) type CallWork = BoxFuture<'static, Result<Written, ErrorData>>;

/// Writes the answer of the request with that id.
pub(super) type Written = Box<dyn FnOnce(&RequestId) -> Reply + Send>;

impl Future for Call {
    type Output = Option<Reply>;

    fn poll(mut self: Pin<&mut Self>, context: &mut Context<'_>) -> Poll<Self::Output> {
        let Self { work, told, .. } = &mut *self;
        let inside = told.as_ref().map(|told| told.span().enter());
        // What panicked is not polled again: the call ends with it.
        let ended = match catch_unwind(AssertUnwindSafe(|| work.as_mut().poll(context))) {
            Ok(polled) => Ok(ready!(polled)),
            Err(panic) => Err(panic),
        };
        drop(inside);
        let told = told.take();
        let Some(open) = self.open.take() else { return Poll::Ready(None) };
        let id = open.id().clone();
        if !open.finish() || self.cancel.is_cancelled() {
            return Poll::Ready(None);
        }
        let reply = match ended {
            Ok(Ok(write)) => write(&id),
            Ok(Err(error)) => message::error(Some(&id), &error),
            Err(_) => {
                tracing::error!("a request panicked outside of its function");
                let error = ErrorData::internal_error("the request failed", None);
                message::error(Some(&id), &error)
            }
        };
        if let Some(told) = told {
            told.end(&reply);
        }
        Poll::Ready(Some(reply))
    }
}

/// The functions that take long before they wait for anything. It may take others for one of them,
/// which costs these a task.
#[derive(Clone, Default)]
pub(crate) struct SlowFunctions(Arc<[AtomicU64; 16]>);

impl SlowFunctions {
    fn contains(&self, function: u64) -> bool {
        let (word, bit) = self.place(function);
        word.load(Ordering::Relaxed) & bit != 0
    }

    fn add(&self, function: u64) {
        let (word, bit) = self.place(function);
        word.fetch_or(bit, Ordering::Relaxed);
    }

    fn place(&self, function: u64) -> (&AtomicU64, u64) {
        let word = usize::try_from(function % 16).unwrap_or_default();
        (&self.0[word], 1 << (function / 16 % 64))
    }
}
