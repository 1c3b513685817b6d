//! The builder of a context for unit tests.

use std::sync::{Arc, Mutex};
use std::time::Duration;

use serde::Serialize;
use serde_json::Value;

use super::TestContext;
use super::caller::{Answers, Planned, TestCaller};
use super::question::AskedQuestion;
use super::reported::Reported;
use crate::context::caller::ClientInfo;
use crate::context::capability::Capability;
use crate::context::question::Elicited;
use crate::context::{Context, ContextParts};

impl Context {
    /// Builder of a context for unit tests of functions that ask, log or need state: without a
    /// server and without a model.
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
    ///     assert_eq!(ctx.reported().questions[0].message(), "Where to?");
    ///
    ///     let ctx = Context::testing().decline().build();
    ///     assert_eq!(send(&ctx).await?, "kept");
    ///     Ok(())
    /// }
    /// # #[tokio::main(flavor = "current_thread")]
    /// # async fn main() { a_parcel_goes_where_the_user_says().await.unwrap() }
    /// ```
    ///
    /// A question without an answer is an error that names it. [`Context::detached`] is the short
    /// form for functions that ask nothing.
    pub fn testing() -> TestContextBuilder {
        TestContextBuilder {
            parts: ContextParts::default(),
            answers: Answers::default(),
            client: None,
            lacks: Vec::new(),
        }
    }
}

/// Builder of a context for unit tests: see [`Context::testing`].
///
/// Answers are given in the order of the questions, by their keys, or by a closure.
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
///     .answer(true) // the first of the others: yes
///     .answer("Thank you!") // the second: what the model says
///     .answer(["file:///home/ada"]) // the third: the folders
///     .state(Shop("Apples"))
///     .build();
/// let said = buy(&ctx).await?;
/// assert_eq!(said, "Ada bought at Apples for file:///home/ada: Thank you!");
/// assert_eq!(ctx.unused_answers(), 0);
///
/// // By what is asked:
/// let ctx = Context::testing()
///     .answer_with(|question| {
///         question.message().starts_with("Who").then(|| Elicited::Accepted(json!({"name": "Bob"})))
///     })
///     .answer(false) // no
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
    /// Answers the next question: the fields of a form, `true` or `false` to a yes or no, the text
    /// of a model, a list of roots, what an interrupt gives.
    pub fn answer(mut self, answer: impl Serialize) -> Self {
        self.answers.next.push_back(planned(answer));
        self
    }

    /// Declines the next question.
    pub fn decline(mut self) -> Self {
        self.answers.next.push_back(Ok(Elicited::Declined));
        self
    }

    /// Closes the next question without an answer.
    pub fn cancel(mut self) -> Self {
        self.answers.next.push_back(Ok(Elicited::Cancelled));
        self
    }

    /// Answers each question of this key, whenever it comes.
    pub fn answer_to(mut self, key: impl Into<String>, answer: impl Serialize) -> Self {
        self.answers.keyed.push((key.into(), planned(answer), false));
        self
    }

    /// Answers the questions for which `answer` gives something; those with an
    /// [`answer_to`](Self::answer_to) are not shown to it.
    pub fn answer_with<F>(mut self, answer: F) -> Self
    where
        F: Fn(&AskedQuestion) -> Option<Elicited<Value>> + Send + Sync + 'static,
    {
        self.answers.answering.push(Box::new(answer));
        self
    }

    /// Whether the caller can be asked [`elicit`](Context::elicit) and
    /// [`confirm`](Context::confirm). Default is yes.
    ///
    /// ```
    /// assert!(!genkit::Context::testing().can_elicit(false).build().can_elicit());
    /// ```
    pub fn can_elicit(self, yes: bool) -> Self {
        self.can(Capability::Elicitation, yes)
    }

    /// Whether the caller lends its model to [`sample`](Context::sample). Default is yes.
    pub fn can_sample(self, yes: bool) -> Self {
        self.can(Capability::Sampling, yes)
    }

    /// Whether the caller tells its [`roots`](Context::roots). Default is yes.
    pub fn can_list_roots(self, yes: bool) -> Self {
        self.can(Capability::Roots, yes)
    }

    fn can(mut self, capability: Capability, yes: bool) -> Self {
        self.lacks.retain(|lacking| *lacking != capability);
        if !yes {
            self.lacks.push(capability);
        }
        self
    }

    /// State, which [`Context::state`] reads.
    pub fn state<T: Send + Sync + 'static>(mut self, value: T) -> Self {
        self.parts.states.insert(value);
        self
    }

    /// Extension: a value of the request, by its type.
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

    /// Request metadata: an entry of `_meta`, which [`Context::meta`] reads.
    ///
    /// ```
    /// let ctx = genkit::Context::testing().meta("traceparent", "00-1").build();
    /// assert_eq!(ctx.meta()["traceparent"], "00-1");
    /// ```
    pub fn meta(mut self, key: impl Into<String>, value: impl Into<Value>) -> Self {
        Arc::make_mut(&mut self.parts.meta).insert(key.into(), value.into());
        self
    }

    /// Client info: who calls, for [`Context::client`]. Default is nobody.
    ///
    /// ```
    /// let ctx = genkit::Context::testing().client("claude-ai", "1.0").build();
    /// assert_eq!(ctx.client().unwrap().name, "claude-ai");
    /// ```
    pub fn client(mut self, name: impl Into<String>, version: impl Into<String>) -> Self {
        self.client = Some(ClientInfo { name: name.into(), version: version.into() });
        self
    }

    /// Cancellation: whether the caller has given up already. [`TestContext::cancel`] does it
    /// later.
    pub fn cancelled(self, yes: bool) -> Self {
        if yes {
            self.parts.cancel.cancel();
        }
        self
    }

    /// Deadline: how much time the call has, for [`Context::time_left`]. Default is no limit.
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

    /// The context.
    pub fn build(self) -> TestContext {
        let Self { parts, answers, client, lacks } = self;
        let caller = Arc::new(TestCaller {
            answers: Mutex::new(answers),
            reported: Mutex::new(Reported::default()),
            client,
            lacks,
        });
        let context = ContextParts { caller: Arc::clone(&caller) as _, ..parts }.build();
        TestContext { context, caller }
    }
}

fn planned(answer: impl Serialize) -> Planned {
    match serde_json::to_value(answer) {
        Ok(json) => Ok(Elicited::Accepted(json)),
        Err(error) => Err(error.to_string()),
    }
}
