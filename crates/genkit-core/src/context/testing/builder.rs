//! The builder of a context for unit tests.

use std::sync::{Arc, Mutex};
use std::time::Duration;

use serde::Serialize;
use serde_json::Value;

use super::TestContext;
use super::caller::{Answers, Planned, TestCaller};
use super::question::AskedQuestion;
use super::reports::Reports;
use crate::context::caller::ClientInfo;
use crate::context::capability::Capability;
use crate::context::question::Elicited;
use crate::context::{Context, ContextParts};

impl Context {
    /// Creates a builder of a context for unit tests of functions that ask questions, log or use state. The context
    /// needs neither a server nor a model.
    ///
    /// ```
    /// use genkit::{Context, Elicited, Result, tool};
    ///
    /// #[derive(serde::Deserialize, schemars::JsonSchema)]
    /// struct Address { city: String }
    ///
    /// /// Sends a parcel.
    /// #[tool]
    /// async fn send(ctx: &Context) -> Result<String> {
    ///     match ctx.elicit::<Address>("Where to?").await? {
    ///         Elicited::Accepted(to) => Ok(format!("sent to {}", to.city)),
    ///         _ => Ok("kept".into()),
    ///     }
    /// }
    ///
    /// # /*
    /// #[tokio::test]
    /// # */
    /// async fn a_parcel_goes_where_the_user_says() -> Result<()> {
    ///     let ctx = Context::testing().answer(serde_json::json!({"city": "Oslo"})).build();
    ///     assert_eq!(send(&ctx).await?, "sent to Oslo");
    ///     assert_eq!(ctx.reports().questions[0].message(), "Where to?");
    ///
    ///     let ctx = Context::testing().decline().build();
    ///     assert_eq!(send(&ctx).await?, "kept");
    ///     Ok(())
    /// }
    /// # #[tokio::main(flavor = "current_thread")]
    /// # async fn main() { a_parcel_goes_where_the_user_says().await.unwrap() }
    /// ```
    ///
    /// A question without an answer returns an error that names the question. [`Context::detached`] is shorter, for
    /// functions that ask no questions.
    pub fn testing() -> TestContextBuilder {
        TestContextBuilder {
            parts: ContextParts::default(),
            answers: Answers::default(),
            client: None,
            lacks: Vec::new(),
        }
    }
}

/// A builder of a context for unit tests. Created by [`Context::testing`].
///
/// Answers are matched to questions by key, by a closure, or by their order.
///
/// ```
/// use genkit::{Context, Elicited, Result, tool};
/// use serde_json::json;
///
/// #[derive(serde::Deserialize, schemars::JsonSchema)]
/// struct Name { name: String }
///
/// struct Shop(&'static str);
///
/// /// Buys something.
/// #[tool]
/// async fn buy(ctx: &Context) -> Result<String> {
///     let name = ctx.elicit::<Name>("Who are you?").key("name").await?.accepted()?.name;
///     ctx.confirm("Pay 3 euros?").await?;
///     let thanks = ctx.sample("Say thanks.").await?.text();
///     let folder = ctx.roots().await?.remove(0).uri;
///     let shop = ctx.state::<Shop>().map_or("a shop", |shop| shop.0);
///     Ok(format!("{name} bought at {shop} for {folder}: {thanks}"))
/// }
///
/// # #[tokio::main(flavor = "current_thread")]
/// # async fn main() -> Result<()> {
/// let ctx = Context::testing()
///     .answer_to("name", json!({"name": "Ada"})) // the question with `.key("name")`
///     .answer(true) // the first of the others: approve
///     .answer("Thank you!") // the second: the model's response
///     .answer(["file:///home/ada"]) // the third: the folders
///     .state(Shop("Apples"))
///     .build();
/// let bought = buy(&ctx).await?;
/// assert_eq!(bought, "Ada bought at Apples for file:///home/ada: Thank you!");
/// assert_eq!(ctx.unused_answers(), 0);
///
/// // Choose the answer by the question:
/// let ctx = Context::testing()
///     .answer_with(|question| {
///         question.message().starts_with("Who").then(|| Elicited::Accepted(json!({"name": "Bob"})))
///     })
///     .answer(false) // deny
///     .build();
/// assert_eq!(buy(&ctx).await.unwrap_err().to_string(), "the user did not approve");
/// # Ok(())
/// # }
/// ```
#[must_use = "a builder does nothing until `.build()`"]
pub struct TestContextBuilder {
    parts: ContextParts,
    answers: Answers,
    client: Option<ClientInfo>,
    lacks: Vec<Capability>,
}

impl TestContextBuilder {
    /// Adds the answer to the next question: the fields of a form, `true` or `false` for an approval, the text of a
    /// model, a list of roots, or the value for an interrupt.
    pub fn answer(mut self, answer: impl Serialize) -> Self {
        self.answers.next.push_back(planned_answer(answer));
        self
    }

    /// Declines the next question.
    pub fn decline(mut self) -> Self {
        self.answers.next.push_back(Ok(Elicited::Declined));
        self
    }

    /// Dismisses the next question without an answer.
    pub fn cancel(mut self) -> Self {
        self.answers.next.push_back(Ok(Elicited::Cancelled));
        self
    }

    /// Sets the answer to every question with this key.
    pub fn answer_to(mut self, key: impl Into<String>, answer: impl Serialize) -> Self {
        self.answers.keyed.push((key.into(), planned_answer(answer), false));
        self
    }

    /// Answers each question with the result of `answer`, if the result is `Some`. Questions whose key has an
    /// [`answer_to`](Self::answer_to) are not passed to `answer`.
    pub fn answer_with<F>(mut self, answer: F) -> Self
    where
        F: Fn(&AskedQuestion) -> Option<Elicited<Value>> + Send + Sync + 'static,
    {
        self.answers.answering.push(Box::new(answer));
        self
    }

    /// Sets whether the caller supports [`elicit`](Context::elicit) and [`confirm`](Context::confirm). Default is
    /// `true`.
    ///
    /// ```
    /// assert!(!genkit::Context::testing().can_elicit(false).build().can_elicit());
    /// ```
    pub fn can_elicit(self, yes: bool) -> Self {
        self.with_capability(Capability::Elicitation, yes)
    }

    /// Sets whether the caller supports [`elicit_url`](Context::elicit_url). Default is `true`.
    pub fn can_elicit_url(self, yes: bool) -> Self {
        self.with_capability(Capability::ElicitUrl, yes)
    }

    /// Sets whether the caller supports sampling with [`sample`](Context::sample). Default is `true`.
    pub fn can_sample(self, yes: bool) -> Self {
        self.with_capability(Capability::Sampling, yes)
    }

    /// Sets whether the caller supports [`roots`](Context::roots). Default is `true`.
    pub fn can_list_roots(self, yes: bool) -> Self {
        self.with_capability(Capability::Roots, yes)
    }

    fn with_capability(mut self, capability: Capability, yes: bool) -> Self {
        self.lacks.retain(|lacking| *lacking != capability);
        if !yes {
            self.lacks.push(capability);
        }
        self
    }

    /// Adds a state value, which [`Context::state`] returns.
    pub fn state<T: Send + Sync + 'static>(mut self, value: T) -> Self {
        self.parts.states.insert(value);
        self
    }

    /// Adds an extension: a value of the request that is looked up by its type.
    ///
    /// ```
    /// struct User(&'static str);
    ///
    /// let ctx = genkit::Context::testing().extension(User("ada")).build();
    /// assert_eq!(ctx.extension::<User>().unwrap().0, "ada");
    /// ```
    pub fn extension<T: Send + Sync + 'static>(mut self, value: T) -> Self {
        self.parts.values.insert(value);
        self
    }

    /// Adds an entry to the request metadata (`_meta`), which [`Context::meta`] returns.
    ///
    /// ```
    /// let ctx = genkit::Context::testing().meta("traceparent", "00-1").build();
    /// assert_eq!(ctx.meta()["traceparent"], "00-1");
    /// ```
    pub fn meta(mut self, key: impl Into<String>, value: impl Into<Value>) -> Self {
        Arc::make_mut(&mut self.parts.meta).insert(key.into(), value.into());
        self
    }

    /// Sets the client info that [`Context::client`] returns. Default is `None`.
    ///
    /// ```
    /// let ctx = genkit::Context::testing().client("claude-ai", "1.0").build();
    /// assert_eq!(ctx.client().unwrap().name, "claude-ai");
    /// ```
    pub fn client(mut self, name: impl Into<String>, version: impl Into<String>) -> Self {
        self.client = Some(ClientInfo::new(name, version));
        self
    }

    /// Sets whether the call is already cancelled. [`TestContext::cancel`] cancels it later.
    pub fn cancelled(self, yes: bool) -> Self {
        if yes {
            self.parts.cancel.cancel();
        }
        self
    }

    /// Sets the deadline: the time limit of the call, for [`Context::time_left`]. Default is unlimited.
    ///
    /// ```
    /// use std::time::Duration;
    ///
    /// let ctx = genkit::Context::testing().deadline(Duration::from_secs(5)).build();
    /// assert!(ctx.time_left().unwrap() <= Duration::from_secs(5));
    /// ```
    pub fn deadline(mut self, limit: Duration) -> Self {
        self.parts.limit = Some(limit);
        self
    }

    /// Builds the context.
    pub fn build(self) -> TestContext {
        let Self { parts, answers, client, lacks } = self;
        let caller = Arc::new(TestCaller {
            answers: Mutex::new(answers),
            reported: Mutex::new(Reports::default()),
            client,
            missing_capabilities: lacks,
        });
        let context = ContextParts { caller: Arc::clone(&caller) as _, ..parts }.build();
        TestContext { context, caller }
    }
}

fn planned_answer(answer: impl Serialize) -> Planned {
    match serde_json::to_value(answer) {
        Ok(json) => Ok(Elicited::Accepted(json)),
        Err(error) => Err(error.to_string()),
    }
}
