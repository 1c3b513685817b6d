//! The future of a call: runs the future of the function, and converts its result.

#![allow(missing_docs, reason = "for expansions and hidden")]

use crate::error::Result;
use crate::future::BoxFuture;

/// Runs a function's `future` and converts its result with `finish`. Only the boxing of `future` is compiled for each
/// function; the rest is compiled once for each result type.
pub fn calling<'a, R: 'a, O: 'a>(
    future: impl Future<Output = R> + Send + 'a,
    finish: fn(R) -> Result<O>,
) -> BoxFuture<'a, Result<O>> {
    finished_call(Box::pin(future), finish)
}

/// Runs a boxed `future` like [`calling`].
pub(super) fn finished_call<'a, R: 'a, O: 'a>(
    future: BoxFuture<'a, R>,
    finish: fn(R) -> Result<O>,
) -> BoxFuture<'a, Result<O>> {
    Box::pin(async move { finish(future.await) })
}
