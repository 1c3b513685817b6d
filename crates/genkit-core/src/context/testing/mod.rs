//! Contexts for unit tests, which answer questions, provide state, and record the function's reports.

mod builder;
mod caller;
mod question;
mod reports;
#[cfg(test)]
mod tests;

use std::ops::Deref;
use std::sync::Arc;

use super::Context;
use caller::TestCaller;

pub use builder::TestContextBuilder;
pub use question::{AskedKind, AskedQuestion};
pub use reports::Reports;

/// A context for unit tests that answers the questions of a function and records its reports. Created by
/// [`Context::testing`].
///
/// Pass it wherever a `&Context` is expected: `greet(&ctx).await`. `ctx.clone()` returns a [`Context`], for closures
/// that take a context by value.
///
/// ```
/// use genkit::{Context, tool};
///
/// /// Imports lines of text.
/// #[tool]
/// async fn import(ctx: &Context, lines: Vec<String>) -> usize {
///     for (i, _) in lines.iter().enumerate() {
///         ctx.progress((i as f64 + 1.0, lines.len() as f64)).await;
///     }
///     ctx.info("imported").await;
///     lines.len()
/// }
///
/// # #[tokio::main(flavor = "current_thread")]
/// # async fn main() {
/// let ctx = Context::testing().build();
/// assert_eq!(import(&ctx, vec!["a".into(), "b".into()]).await, 2);
/// let reported = ctx.reports();
/// assert_eq!((reported.progress[1].done(), reported.progress[1].total()), (2.0, Some(2.0)));
/// assert_eq!(reported.logs[0].1, "imported");
/// # }
/// ```
pub struct TestContext {
    context: Context,
    caller: Arc<TestCaller>,
}

impl TestContext {
    /// Returns the reports and questions of the function so far.
    pub fn reports(&self) -> Reports {
        self.caller.reports()
    }

    #[doc(hidden)]
    #[deprecated(note = "renamed to `reports`")]
    pub fn reported(&self) -> Reports {
        self.reports()
    }

    /// Returns the number of unused answers. The number is 0 if the function asked every question that the test
    /// expects.
    ///
    /// ```
    /// let ctx = genkit::Context::testing().answer(true).build();
    /// assert_eq!(ctx.unused_answers(), 1);
    /// ```
    pub fn unused_answers(&self) -> usize {
        self.caller.unused_answers()
    }

    /// Cancels the call, as a caller would: [`Context::is_cancelled`] returns `true` from now on, and
    /// [`Context::cancelled`] resolves.
    ///
    /// ```
    /// let ctx = genkit::Context::testing().build();
    /// ctx.cancel();
    /// assert!(ctx.is_cancelled());
    /// ```
    pub fn cancel(&self) {
        self.context.cancellation().cancel();
    }
}

impl Deref for TestContext {
    type Target = Context;

    fn deref(&self) -> &Context {
        &self.context
    }
}

impl std::fmt::Debug for TestContext {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        f.debug_struct("TestContext").field("reported", &self.reports()).finish_non_exhaustive()
    }
}
