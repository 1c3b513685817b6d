//! Runs a function under its limits until it ends, asks, or is stopped.

use std::future::{Future, poll_fn};
use std::panic::AssertUnwindSafe;
use std::pin::pin;
use std::task::Poll;
use std::time::Duration;

use futures_util::FutureExt as _;

use super::question::Question;
use super::recording::Recording;
use super::{Context, panics};
use crate::error::{Error, ErrorKind, Result};

/// How a run ended.
#[derive(Debug)]
pub(crate) enum Ended<T> {
    /// It returned, panicked or ran out of time.
    Finished(Result<T>),
    /// It asked what this caller answers by calling again.
    Asked(Vec<Question>, Recording),
    /// The caller gave up.
    Cancelled,
}

/// Runs `work` of the action `name`.
///
/// It is dropped at its first open questions, when `context` is cancelled, and at the limit of
/// `context`.
pub(crate) async fn drive<T>(
    context: &Context,
    name: &str,
    work: impl Future<Output = Result<T>>,
) -> Ended<T> {
    panics::note_places();
    let mut work = pin!(AssertUnwindSafe(work).catch_unwind());
    let run = poll_fn(|cx| match work.as_mut().poll(cx) {
        Poll::Ready(Ok(result)) => Poll::Ready(Ended::Finished(result)),
        Poll::Ready(Err(payload)) => {
            Poll::Ready(Ended::Finished(Err(panicked(name, payload.as_ref()))))
        }
        Poll::Pending => match context.asking().take_open() {
            Some((questions, recording)) => Poll::Ready(Ended::Asked(questions, recording)),
            None => Poll::Pending,
        },
    });
    tokio::select! {
        biased;
        () = context.cancellation().cancelled() => Ended::Cancelled,
        ended = run => ended,
        () = expired(context) => Ended::Finished(Err(too_slow(name, context.0.limit))),
    }
}

/// Runs `work` for a caller that cannot be asked anything: a flow, a test.
pub(crate) async fn supervise<T>(
    context: &Context,
    name: &str,
    work: impl Future<Output = Result<T>>,
) -> Result<T> {
    match drive(context, name, work).await {
        Ended::Finished(result) => result,
        Ended::Cancelled => {
            Err(Error::new(ErrorKind::Cancelled, format!("`{name}` was cancelled")))
        }
        Ended::Asked(..) => Err(Error::new(
            ErrorKind::FailedPrecondition,
            format!("`{name}` asked its caller, and nobody is there to answer"),
        )),
    }
}

/// Resolves when the time that counts is over: that in which nobody is being asked.
async fn expired(context: &Context) {
    let Some(limit) = context.0.limit else { return std::future::pending().await };
    loop {
        let left = limit.saturating_sub(context.spent());
        if left.is_zero() {
            return;
        }
        tokio::time::sleep(left).await;
    }
}

fn too_slow(name: &str, limit: Option<Duration>) -> Error {
    let limit = limit.unwrap_or_default();
    Error::new(
        ErrorKind::DeadlineExceeded,
        format!("`{name}` did not finish within {limit:?}; try a smaller request"),
    )
}

fn panicked(name: &str, payload: &(dyn std::any::Any + Send)) -> Error {
    let (said, place) = panics::describe(payload);
    let place = place.unwrap_or_else(|| "an unknown place".to_owned());
    tracing::error!(action = name, %place, panic = %said, "a function panicked");
    Error::new(ErrorKind::Internal, format!("`{name}` failed unexpectedly: {said}"))
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::context::ContextParts;

    async fn run<T>(work: impl Future<Output = Result<T>>, limit: u64) -> Ended<T> {
        let limit = Some(Duration::from_millis(limit));
        let context = ContextParts { limit, ..ContextParts::default() }.build();
        drive(&context, "f", work).await
    }

    #[tokio::test]
    async fn a_panic_becomes_an_error() {
        let ended = run::<()>(async { panic!("no {}", "way") }, 1000).await;
        let Ended::Finished(Err(error)) = ended else { panic!("{ended:?}") };
        assert_eq!(error.to_string(), "`f` failed unexpectedly: no way");
    }

    #[tokio::test(start_paused = true)]
    async fn a_slow_function_is_stopped() {
        let ended = run::<()>(std::future::pending(), 50).await;
        let Ended::Finished(Err(error)) = ended else { panic!("{ended:?}") };
        assert_eq!(error.kind(), ErrorKind::DeadlineExceeded);
    }

    #[tokio::test]
    async fn cancelling_drops_the_function() {
        let context = ContextParts::default().build();
        context.cancellation().cancel();
        let ended = drive::<()>(&context, "f", std::future::pending()).await;
        assert!(matches!(ended, Ended::Cancelled));
    }
}
