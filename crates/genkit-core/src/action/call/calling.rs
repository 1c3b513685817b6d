//! The future of a call: that of the function, and the conversion of what it returns.

#![allow(missing_docs, reason = "for expansions and hidden")]

use crate::error::Result;
use crate::future::BoxFuture;

/// The call of a function whose future is `future`, and what it returns converted by `finish`. Of each function only its
/// future is compiled here; the rest is one for each type that is returned.
pub fn calling<'a, R: 'a, O: 'a>(
    future: impl Future<Output = R> + Send + 'a,
    finish: fn(R) -> Result<O>,
) -> BoxFuture<'a, Result<O>> {
    finished(Box::pin(future), finish)
}

/// The same of a future on the heap.
pub(super) fn finished<'a, R: 'a, O: 'a>(
    future: BoxFuture<'a, R>,
    finish: fn(R) -> Result<O>,
) -> BoxFuture<'a, Result<O>> {
    Box::pin(async move { finish(future.await) })
}
