//! Roots: asks the client which folders it works in.

use std::future::IntoFuture;

use super::super::Context;
use super::data::QuestionKind;
use super::root::Root;
use crate::context::capability::Capability;
use crate::error::Result;
use crate::future::BoxFuture;

impl Context {
    /// Requests the roots of the client: the folders that it works in.
    ///
    /// MCP deprecates roots (SEP-2577): they work until at least 2027-07-28, but new programs should take paths as
    /// arguments or settings.
    ///
    /// ```
    /// use genkit::{Context, Result, tool};
    ///
    /// /// Lists the folders that the client works in.
    /// #[tool(read_only)]
    /// async fn folders(ctx: &Context) -> Result<Vec<String>> {
    ///     Ok(ctx.roots().await?.into_iter().map(|root| root.uri).collect())
    /// }
    /// ```
    pub fn roots(&self) -> Roots<'_> {
        Roots::new(self)
    }

    /// Returns whether the caller supports [`roots`](Self::roots).
    pub fn can_list_roots(&self) -> bool {
        self.0.parts.caller.has_capability(Capability::Roots)
    }
}

/// A request for the client's roots (folders) that is ready to be sent. Created by [`Context::roots`].
///
/// Await it to send the request. The output is a list of [`Root`]s.
///
/// ```
/// use genkit::{Context, ErrorKind};
///
/// # #[tokio::main(flavor = "current_thread")]
/// # async fn main() {
/// let error = Context::detached().roots().key("folders").await.unwrap_err();
/// assert_eq!(error.kind(), ErrorKind::FailedPrecondition); // no client to ask
/// # }
/// ```
///
/// # Errors
/// Awaiting it returns [`ErrorKind::FailedPrecondition`](crate::error::ErrorKind::FailedPrecondition) if the caller does not
/// support roots, [`ErrorKind::InvalidArgument`](crate::error::ErrorKind::InvalidArgument) if its list is malformed, or the
/// error that the caller responds with.
#[must_use = "a question is only asked when awaited; add `.await`"]
pub struct Roots<'a> {
    context: &'a Context,
    key: Option<String>,
}

impl<'a> Roots<'a> {
    pub(super) fn new(context: &'a Context) -> Self {
        Self { context, key: None }
    }

    /// Sets the key of the question; see [`Elicit::key`](crate::context::Elicit::key).
    pub fn key(mut self, key: impl Into<String>) -> Self {
        self.key = Some(key.into());
        self
    }
}

impl<'a> IntoFuture for Roots<'a> {
    type Output = Result<Vec<Root>>;
    type IntoFuture = BoxFuture<'a, Self::Output>;

    fn into_future(self) -> Self::IntoFuture {
        Box::pin(
            self.context.ask_question(self.key, QuestionKind::Roots, |answer| answer.into_roots()),
        )
    }
}

crate::becomes_a_future!(Roots<'a>, Result<Vec<Root>>, 'a);
