//! Runs a function within its limits until it finishes, is interrupted, or is cancelled.

use std::future::{Future, poll_fn};
use std::panic::AssertUnwindSafe;
use std::pin::pin;
use std::task::Poll;
use std::time::Duration;

use futures_util::FutureExt as _;
use serde_json::Value;

use super::error::Error as E;
use super::question::Question;
use super::replay::Recording;
use super::{Context, panics};
use crate::error::{Error, Result};
use crate::trace::SpanOutcome;
use genkit_untrusted::visible::Logged;

/// The outcome of a run.
#[derive(Debug)]
pub enum Outcome<T> {
    /// The function returned, panicked or ran out of time.
    Finished(Result<T>),
    /// The function has open questions. The caller sends the answers with a repeated call.
    Suspended(Vec<Question>, Recording),
    /// The caller cancelled the call.
    Cancelled,
}

impl<T> Outcome<T> {
    /// Returns the outcome that the span of this run records.
    pub fn to_span_outcome(&mut self, output: impl FnOnce(&T) -> Value) -> SpanOutcome<'_> {
        match self {
            Self::Finished(result) => SpanOutcome::from_result(result, output),
            Self::Suspended(questions, _) => {
                let first = questions.first();
                SpanOutcome::Interrupted(
                    first.map_or(Value::Bool(true), |open| open.kind.to_json()),
                )
            }
            Self::Cancelled => SpanOutcome::Cancelled,
        }
    }
}

tokio::task_local! {
    /// The context of the running function, for free functions that have no context parameter.
    static RUNNING: Context;
}

impl Context {
    /// Returns the context of the function that runs in this task. Returns `None` in a task that a function spawned.
    #[doc(hidden)]
    pub fn running() -> Option<Self> {
        RUNNING.try_with(Self::clone).ok()
    }

    /// Runs `work` with this as the running context.
    pub(crate) fn run_work<T>(&self, work: impl Future<Output = T>) -> impl Future<Output = T> {
        RUNNING.scope(self.clone(), work)
    }
}

/// Runs `work` of the action `name`.
///
/// Drops the future when it has open questions, when `context` is cancelled, or at the time limit of `context`.
pub async fn drive_function<T>(
    context: &Context,
    name: &str,
    work: impl Future<Output = Result<T>>,
) -> Outcome<T> {
    panics::install_location_hook();
    let mut work = pin!(AssertUnwindSafe(context.run_work(work)).catch_unwind());
    let run = poll_fn(|cx| {
        // Checked before the first poll, because most functions finish before the `select!` below checks it.
        if context.cancellation().is_cancelled() {
            return Poll::Ready(Outcome::Cancelled);
        }
        match work.as_mut().poll(cx) {
            Poll::Ready(Ok(result)) => Poll::Ready(Outcome::Finished(result)),
            Poll::Ready(Err(payload)) => {
                Poll::Ready(Outcome::Finished(Err(panic_error(name, payload.as_ref()))))
            }
            Poll::Pending => {
                let open = context.existing_replay().and_then(|mut replay| replay.take_open());
                if let Some((questions, recording)) = open {
                    return Poll::Ready(Outcome::Suspended(questions, recording));
                }
                if let Some(journal) = &context.0.parts.journal {
                    let rest = context.lock_replay().pending_waits();
                    journal.record_waits(rest);
                }
                Poll::Pending
            }
        }
    });
    tokio::select! {
        biased;
        ended = run => ended,
        () = context.cancellation().cancelled() => Outcome::Cancelled,
        () = wait_for_time_limit(context) => Outcome::Finished(Err(timeout_error(name, context.0.parts.limit))),
    }
}

/// Runs `work` for a caller that supports no questions, such as a flow or a test.
pub async fn supervise_run<T>(
    context: &Context,
    name: &str,
    work: impl Future<Output = Result<T>>,
) -> Result<T> {
    match drive_function(context, name, work).await {
        Outcome::Finished(result) => result,
        Outcome::Cancelled => Err(E::Cancelled(name.to_owned()).into()),
        Outcome::Suspended(..) => Err(E::UnsupportedQuestion(name.to_owned()).into()),
    }
}

/// Runs `work` of the action `name`, called from the function of `context`, within `limit`. Time spent waiting for
/// answers does not count.
pub async fn run_within<T>(
    context: &Context,
    name: &str,
    limit: Option<Duration>,
    work: impl Future<Output = Result<T>>,
) -> Result<T> {
    let Some(limit) = limit else { return work.await };
    let end = context.time_spent() + limit;
    tokio::select! {
        biased;
        done = work => done,
        () = wait_until_spent(context, end) => Err(timeout_error(name, Some(limit))),
    }
}

/// Resolves when the time limit has passed. Time spent waiting for answers does not count.
async fn wait_for_time_limit(context: &Context) {
    match context.0.parts.limit {
        Some(limit) => wait_until_spent(context, limit).await,
        None => std::future::pending().await,
    }
}

async fn wait_until_spent(context: &Context, time: Duration) {
    loop {
        let left = time.saturating_sub(context.time_spent());
        if left.is_zero() {
            return;
        }
        // Outside tokio's cooperative budget, so that a function that uses it up cannot delay its own time limit.
        tokio::task::unconstrained(tokio::time::sleep(left)).await;
    }
}

fn timeout_error(name: &str, limit: Option<Duration>) -> Error {
    E::TooSlow { name: name.to_owned(), limit: limit.unwrap_or_default() }.into()
}

fn panic_error(name: &str, payload: &(dyn std::any::Any + Send)) -> Error {
    let (message, place) = panics::describe_panic(payload);
    let place = place.unwrap_or_else(|| "unknown location".to_owned());
    let reference = crate::error::new_reference();
    // The panic message may name files, hosts or data, so it is sent neither to clients nor to models.
    tracing::error!(
        action = %Logged::name(name), %place, panic = %Logged::text(message), %reference,
        "a function panicked"
    );
    E::Panicked { name: name.to_owned(), reference }.into()
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::context::ContextParts;
    use crate::error::ErrorKind;

    async fn run_with_limit<T>(work: impl Future<Output = Result<T>>, limit: u64) -> Outcome<T> {
        let limit = Some(Duration::from_millis(limit));
        let context = ContextParts { limit, ..ContextParts::default() }.build();
        drive_function(&context, "f", work).await
    }

    #[tokio::test]
    async fn panic_becomes_an_error() {
        let ended = run_with_limit::<()>(async { panic!("no {}", "way") }, 1000).await;
        let Outcome::Finished(Err(error)) = ended else { panic!("{ended:?}") };
        assert!(error.chain().starts_with("`f` panicked; see the program's log"), "{error}");
        assert!(!error.chain().contains("no way"), "{error}");
    }

    #[tokio::test(start_paused = true)]
    async fn slow_function_is_stopped() {
        let ended = run_with_limit::<()>(std::future::pending(), 50).await;
        let Outcome::Finished(Err(error)) = ended else { panic!("{ended:?}") };
        assert_eq!(error.kind(), ErrorKind::DeadlineExceeded);
    }

    #[tokio::test]
    async fn function_that_never_waits_for_anything_is_stopped() {
        use crate::context::LogLevel;

        let budget = run_with_limit::<()>(
            async {
                loop {
                    tokio::task::consume_budget().await;
                }
            },
            50,
        );
        let context = Context::detached();
        let logs = run_with_limit::<()>(
            async {
                loop {
                    context.log(LogLevel::Info, "on and on").await;
                }
            },
            50,
        );
        for ended in [budget.await, logs.await] {
            let Outcome::Finished(Err(error)) = ended else { panic!("{ended:?}") };
            assert_eq!(error.kind(), ErrorKind::DeadlineExceeded);
        }
    }

    #[test]
    fn reports_need_no_runtime() {
        let context = Context::detached();
        futures_util::FutureExt::now_or_never(context.progress(1.0)).expect("it does not wait");
        let mut work = pin!(async {
            for chunk in 0..100 {
                context.queue_chunk(chunk.into()).await;
            }
        });
        let mut cx = std::task::Context::from_waker(std::task::Waker::noop());
        let polls =
            1 + std::iter::from_fn(|| work.as_mut().poll(&mut cx).is_pending().then_some(()))
                .count();
        assert!((2..=5).contains(&polls), "{polls}");
    }

    #[tokio::test]
    async fn cancelling_drops_the_function() {
        let context = ContextParts::default().build();
        context.cancellation().cancel();
        let ended = drive_function::<()>(&context, "f", std::future::pending()).await;
        assert!(matches!(ended, Outcome::Cancelled));
    }
}
