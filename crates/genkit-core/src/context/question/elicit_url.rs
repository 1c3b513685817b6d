//! URL elicitation: asks the user to visit a page, for secrets, sign-in and payments.

use std::future::IntoFuture;
use std::hash::{BuildHasher as _, RandomState};
use std::sync::atomic::{AtomicU64, Ordering};

use super::super::Context;
use super::data::QuestionKind;
use super::results::Elicited;
use crate::context::capability::Capability;
use crate::context::error::Error as E;
use crate::error::Result;
use crate::future::BoxFuture;
use genkit_untrusted::visible;

/// The maximum length of a URL, in bytes.
const MAX_URL: usize = 8192;

impl Context {
    /// Asks the user to visit one of your pages (URL elicitation), for everything that must not pass through the
    /// client: passwords, keys, sign-in, payments. The client shows the message and the URL, and opens the page only if
    /// the user agrees.
    ///
    /// The answer only means that the user agreed to visit the page. The page itself reports the outcome to your
    /// server. The page must check that its visitor is the user of this call. Never put secrets into the URL.
    ///
    /// ```
    /// use genkit::{Context, Elicited, Result, tool};
    ///
    /// /// Pays a bill.
    /// #[tool]
    /// async fn pay(ctx: &Context, bill: u64) -> Result<String> {
    ///     let page = format!("https://bank.example.com/pay/{bill}");
    ///     match ctx.elicit_url(page, "Confirm the payment at the bank").id(format!("bill-{bill}")).await? {
    ///         Elicited::Accepted(()) => {}
    ///         Elicited::Declined | Elicited::Cancelled => return Ok("not paid".into()),
    ///     }
    ///     // … wait until the bank reports the payment …
    ///     ctx.url_completed(format!("bill-{bill}")).await;
    ///     Ok("paid".into())
    /// }
    ///
    /// # #[tokio::main(flavor = "current_thread")]
    /// # async fn main() -> Result<()> {
    /// let ctx = Context::testing().answer(()).build();
    /// assert_eq!(pay(&ctx, 7).await?, "paid");
    /// assert_eq!(ctx.reports().questions[0].url(), Some("https://bank.example.com/pay/7"));
    /// # Ok(())
    /// # }
    /// ```
    ///
    /// In a generate loop the run is interrupted, and [`Interrupt::url`](crate::Interrupt::url) returns the
    /// page.
    pub fn elicit_url(&self, url: impl Into<String>, message: impl Into<String>) -> ElicitUrl<'_> {
        ElicitUrl { context: self, key: None, id: None, url: url.into(), message: message.into() }
    }

    /// Returns whether the caller supports [`elicit_url`](Self::elicit_url).
    pub fn can_elicit_url(&self) -> bool {
        self.0.parts.caller.has_capability(Capability::ElicitUrl)
    }

    /// Notifies the client that the user has finished with the page of the [`elicit_url`](Self::elicit_url) request
    /// with this [`id`](ElicitUrl::id), so that the client can stop waiting. Has no effect for the generate loop, which
    /// does not wait, and for clients of the 2026-07-28 protocol, which has no such notification.
    pub async fn url_completed(&self, id: impl Into<String>) {
        self.0.parts.caller.notify_url_completed(id.into()).await;
    }
}

/// A URL elicitation that is ready to be sent. Created by [`Context::elicit_url`].
///
/// Await it to ask the user. The output is an [`Elicited`] without a value.
///
/// # Errors
/// Awaiting it returns [`ErrorKind::FailedPrecondition`](crate::error::ErrorKind::FailedPrecondition) if the caller does
/// not support URL elicitation, [`ErrorKind::InvalidArgument`](crate::error::ErrorKind::InvalidArgument) if the URL is
/// not a complete `https://` or `http://` URL, or the error that the caller responds with.
#[must_use = "a question is only asked when awaited; add `.await`"]
pub struct ElicitUrl<'a> {
    context: &'a Context,
    key: Option<String>,
    id: Option<String>,
    url: String,
    message: String,
}

impl ElicitUrl<'_> {
    /// Sets the key of the question. Without a key, questions are identified by their order, so set one if the order
    /// can differ between runs.
    pub fn key(mut self, key: impl Into<String>) -> Self {
        self.key = Some(key.into());
        self
    }

    /// Sets the id of the visit, for [`Context::url_completed`]. Default is a random id.
    pub fn id(mut self, id: impl Into<String>) -> Self {
        self.id = Some(id.into());
        self
    }
}

impl<'a> IntoFuture for ElicitUrl<'a> {
    type Output = Result<Elicited<()>>;
    type IntoFuture = BoxFuture<'a, Self::Output>;

    fn into_future(self) -> Self::IntoFuture {
        Box::pin(async move {
            if !is_page(&self.url) {
                return Err(E::InvalidUrl { max: MAX_URL }.into());
            }
            let kind = QuestionKind::ElicitUrl {
                message: visible::escape_prose(&self.message).into_owned(),
                url: self.url,
                id: self.id.unwrap_or_else(random_id),
            };
            let read = |answer: super::CallerAnswer| Ok(answer.into_decision()?.into_visited());
            self.context.ask_question(self.key, kind, read).await
        })
    }
}

crate::becomes_a_future!(ElicitUrl<'a>, Result<Elicited<()>>, 'a);

/// Returns whether `url` is an absolute HTTP URL that a client can show and open unchanged.
fn is_page(url: &str) -> bool {
    let host = url.strip_prefix("https://").or_else(|| url.strip_prefix("http://"));
    let has_host =
        host.is_some_and(|rest| rest.starts_with(|c: char| c.is_alphanumeric() || c == '['));
    has_host && url.len() <= MAX_URL && url.chars().all(|c| c.is_ascii_graphic())
}

/// Returns an id that is unique in practice. It is not a secret.
fn random_id() -> String {
    static COUNT: AtomicU64 = AtomicU64::new(0);
    let count = COUNT.fetch_add(1, Ordering::Relaxed);
    // Each `RandomState` has different random keys.
    format!("visit-{:016x}-{count}", RandomState::new().hash_one(count))
}

#[cfg(test)]
mod tests {
    use super::is_page;

    #[test]
    fn page_is_a_complete_url_of_visible_characters() {
        for url in ["https://a.example/x?y=1#z", "http://127.0.0.1:8000/", "https://[::1]/"] {
            assert!(is_page(url), "{url}");
        }
        let long = format!("https://a/{}", "x".repeat(9000));
        for url in [
            "",
            "a.example",
            "javascript:alert(1)",
            "https://",
            "https:///x",
            "https://a b",
            "https://a/\u{202e}",
            &long,
        ] {
            assert!(!is_page(url), "{url}");
        }
    }
}
