//! Questions to the caller: one mechanism, whoever called.

use std::future::{Future, IntoFuture};
use std::marker::PhantomData;
use std::pin::Pin;

use serde::de::DeserializeOwned;
use serde_json::{Value, json};

use super::{Context, recording};
use crate::error::{Error, ErrorKind, Result};
use crate::message::Message;

/// How many tokens a sampled answer may have unless said otherwise. Default is 1,024.
const DEFAULT_MAX_TOKENS: u32 = 1024;

/// What a caller must be able to do to be asked.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Need {
    Elicitation,
    Sampling,
    Roots,
}

impl Need {
    /// The name of the capability in MCP.
    pub(crate) fn capability(self) -> &'static str {
        match self {
            Self::Elicitation => "elicitation",
            Self::Sampling => "sampling",
            Self::Roots => "roots",
        }
    }
}

/// A question with the key that its answer comes under.
#[derive(Clone, Debug, PartialEq)]
pub(crate) struct Question {
    pub(crate) key: String,
    pub(crate) kind: QuestionKind,
}

/// What is asked.
#[derive(Clone, Debug, PartialEq)]
pub(crate) enum QuestionKind {
    /// A form for the user.
    Elicit { message: String, schema: Value },
    /// Yes or no from the user.
    Approve { message: String },
    /// Anything, for whoever called `generate`.
    Interrupt { metadata: Value },
    /// Text from the client's model.
    Sample(SampleRequest),
    /// The client's folders.
    Roots,
}

impl QuestionKind {
    pub(crate) fn need(&self) -> Need {
        match self {
            Self::Elicit { .. } | Self::Approve { .. } | Self::Interrupt { .. } => {
                Need::Elicitation
            }
            Self::Sample(_) => Need::Sampling,
            Self::Roots => Need::Roots,
        }
    }
}

impl Context {
    /// The answer to a question as the caller gives it.
    pub(super) async fn ask(&self, key: Option<String>, kind: QuestionKind) -> Result<Value> {
        self.ask_for(key, kind, Ok).await
    }

    /// The answer as `read` understands it: recorded, live, or after the function ran again.
    pub(super) async fn ask_for<R>(
        &self,
        key: Option<String>,
        kind: QuestionKind,
        read: impl Fn(Value) -> Result<R>,
    ) -> Result<R> {
        let need = kind.need();
        if !self.0.caller.can(need) {
            return Err(cannot_be_asked(need));
        }
        let key = self.asking().key(key);
        let recorded = self.asking().answer(&key);
        if let Some(answer) = recorded {
            match read(answer) {
                Ok(answer) => {
                    self.asking().used(key);
                    return Ok(answer);
                }
                // The client answered something else: the same question goes out again.
                Err(error) => tracing::debug!(%key, %error, "an answer does not fit its question"),
            }
        }
        let question = Question { key, kind };
        if let Some(answering) = self.0.caller.answer(&question) {
            let answer = {
                let _live = recording::Live::new(&self.0.asking);
                answering.await?
            };
            let understood = read(answer.clone())?;
            // A later question may make the function run again, and it must hear the same.
            self.asking().answered(question.key.clone(), answer);
            return Ok(understood);
        }
        self.asking().open(question);
        // The driver sees the open question, drops this future and runs the function again.
        std::future::pending().await
    }
}

fn cannot_be_asked(need: Need) -> Error {
    let capability = need.capability();
    Error::new(
        ErrorKind::FailedPrecondition,
        format!("this needs a client with the `{capability}` capability, and the caller has none"),
    )
    .with_details(json!({ "requiredCapabilities": { capability: {} } }))
}

/// What became of a question to the user.
///
/// ```
/// use genkit::Elicited;
///
/// fn words(answer: Elicited<u8>) -> String {
///     match answer {
///         Elicited::Accepted(days) => format!("{days} days"),
///         Elicited::Declined => "you would not say".into(),
///         Elicited::Cancelled => "you went away".into(),
///     }
/// }
/// assert_eq!(words(Elicited::Accepted(3)), "3 days");
/// ```
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Elicited<T> {
    /// The user answered.
    Accepted(T),
    /// The user said no.
    Declined,
    /// The user closed the question.
    Cancelled,
}

impl<T> Elicited<T> {
    /// The answer, or an error where the user gave none.
    ///
    /// # Errors
    /// [`ErrorKind::PermissionDenied`] if the user declined, [`ErrorKind::Cancelled`] if the
    /// user closed the question.
    ///
    /// ```
    /// use genkit::Elicited;
    ///
    /// assert_eq!(Elicited::Accepted(1).accepted()?, 1);
    /// assert!(Elicited::<u8>::Declined.accepted().is_err());
    /// # Ok::<(), genkit::Error>(())
    /// ```
    pub fn accepted(self) -> Result<T> {
        match self {
            Self::Accepted(answer) => Ok(answer),
            Self::Declined => {
                Err(Error::new(ErrorKind::PermissionDenied, "the user declined to answer"))
            }
            Self::Cancelled => {
                Err(Error::new(ErrorKind::Cancelled, "the user closed the question"))
            }
        }
    }
}

/// Reads MCP's `ElicitResult`.
fn elicited<T: DeserializeOwned>(mut answer: Value) -> Result<Elicited<T>> {
    match answer.get("action").and_then(Value::as_str) {
        Some("accept") => {
            let content = answer.get_mut("content").map(Value::take);
            let content = content.filter(|c| !c.is_null()).unwrap_or_else(|| json!({}));
            serde_json::from_value(content).map(Elicited::Accepted).map_err(|e| {
                Error::invalid_argument(format!("the user's answer does not fit the form: {e}"))
            })
        }
        Some("decline") => Ok(Elicited::Declined),
        Some("cancel") => Ok(Elicited::Cancelled),
        _ => Err(Error::invalid_argument("the answer to a form has no `action`")),
    }
}

/// Whether an answer is one to this approval: given for what was shown, and not for something else.
pub(super) fn fits_approval(answer: Value, message: &str) -> Result<Value> {
    let shown = answer.get("asked").and_then(Value::as_str);
    let meant = answer.get("to").is_none()
        || answer.pointer("/content/toolApproved") == Some(&Value::Bool(true));
    if shown.is_some_and(|shown| shown != message) || !meant {
        return Err(Error::invalid_argument("the answer is to another question"));
    }
    Ok(answer)
}

/// Reads the answer to an approval.
pub(crate) fn approved(answer: &Value) -> Result<()> {
    match answer.get("action").and_then(Value::as_str) {
        Some("accept") => Ok(()),
        Some("cancel") => Err(Error::new(
            ErrorKind::PermissionDenied,
            "the user closed the question: not approved",
        )),
        _ => {
            let why = answer.pointer("/content/reason").and_then(Value::as_str);
            let why = why.filter(|why| !why.is_empty()).map(|why| format!(": {why}"));
            let said = format!("the user did not approve{}", why.unwrap_or_default());
            Err(Error::new(ErrorKind::PermissionDenied, said))
        }
    }
}

impl Context {
    /// Stops and asks whoever called [`generate`](crate::generate()): the run ends as interrupted,
    /// and this call goes on with what [`Interrupt::restart`](crate::Interrupt::restart) gives.
    ///
    /// `metadata` is any JSON that says what is needed. An MCP client, which knows no interrupts,
    /// is asked for a yes, with `metadata.message` as the text.
    ///
    /// ```
    /// use genkit::{Context, Result, tool};
    /// use serde_json::json;
    ///
    /// /// Pays an invoice.
    /// #[tool]
    /// async fn pay(ctx: &Context, cents: u64) -> Result<String> {
    ///     if cents > 10_000 {
    ///         let decision = ctx.interrupt(json!({"message": "Pay more than 100?"})).await?;
    ///         ctx.info(decision).await; // what the caller said
    ///     }
    ///     Ok("paid".into())
    /// }
    /// ```
    ///
    /// # Errors
    /// [`ErrorKind::PermissionDenied`] where the caller denies it, and
    /// [`ErrorKind::FailedPrecondition`] where nobody can be asked.
    pub async fn interrupt(&self, metadata: impl Into<Value>) -> Result<Value> {
        let kind = QuestionKind::Interrupt { metadata: metadata.into() };
        let mut answer = self.ask(None, kind).await?;
        approved(&answer)?;
        Ok(answer.get_mut("content").map(Value::take).unwrap_or_default())
    }
}

type Asked<'a, T> = Pin<Box<dyn Future<Output = Result<T>> + Send + 'a>>;

/// A form for the user, about to be asked: see [`Context::elicit`].
///
/// Awaiting it asks. The answer is an [`Elicited`].
///
/// ```
/// use genkit::{Context, ErrorKind, Result, tool};
///
/// #[derive(serde::Deserialize, schemars::JsonSchema)]
/// struct Address { city: String }
///
/// /// Sends a parcel.
/// #[tool]
/// async fn send(ctx: &Context) -> Result<String> {
///     let to = ctx.elicit::<Address>("Where to?").key("address").await?.accepted()?;
///     Ok(format!("sent to {}", to.city))
/// }
///
/// # #[tokio::main(flavor = "current_thread")]
/// # async fn main() {
/// let error = send(&Context::detached()).await.unwrap_err();
/// assert_eq!(error.kind(), ErrorKind::FailedPrecondition); // nobody can be asked
/// # }
/// ```
///
/// # Errors
/// Awaiting it fails with [`ErrorKind::FailedPrecondition`] where the caller cannot be asked, with
/// [`ErrorKind::InvalidArgument`] where the answer does not fit `T`, and with what the caller
/// answers with.
#[must_use = "a question is asked when it is awaited"]
pub struct Elicit<'a, T> {
    context: &'a Context,
    key: Option<String>,
    message: String,
    schema: Value,
    answer: PhantomData<fn() -> T>,
}

impl<'a, T> Elicit<'a, T> {
    pub(super) fn new(context: &'a Context, message: String, schema: Value) -> Self {
        Self { context, key: None, message, schema, answer: PhantomData }
    }

    /// Names the question. Without, questions are told apart by their order: name those whose
    /// order may differ from run to run.
    pub fn key(mut self, key: impl Into<String>) -> Self {
        self.key = Some(key.into());
        self
    }
}

impl<'a, T: DeserializeOwned + Send + 'a> IntoFuture for Elicit<'a, T> {
    type Output = Result<Elicited<T>>;
    type IntoFuture = Asked<'a, Elicited<T>>;

    fn into_future(self) -> Self::IntoFuture {
        let kind = QuestionKind::Elicit { message: self.message, schema: self.schema };
        Box::pin(self.context.ask_for(self.key, kind, elicited))
    }
}

/// What the client's model is asked.
///
/// ```
/// use genkit::{Message, SampleRequest};
///
/// let request = SampleRequest::new([Message::user("Name a colour.")]).system("Answer in one word.");
/// assert_ne!(request, SampleRequest::from("Name a colour.")); // this one has no instructions
/// ```
#[derive(Clone, Debug, PartialEq)]
pub struct SampleRequest {
    pub(crate) messages: Vec<Message>,
    pub(crate) system: Option<String>,
    pub(crate) max_tokens: u32,
    pub(crate) temperature: Option<f32>,
    pub(crate) stop: Vec<String>,
}

impl SampleRequest {
    /// A conversation that the model continues. At most 1,024 tokens unless said otherwise.
    pub fn new(messages: impl IntoIterator<Item = Message>) -> Self {
        Self {
            messages: messages.into_iter().collect(),
            system: None,
            max_tokens: DEFAULT_MAX_TOKENS,
            temperature: None,
            stop: Vec::new(),
        }
    }

    /// Instructions above the conversation.
    #[must_use]
    pub fn system(mut self, text: impl Into<String>) -> Self {
        self.system = Some(text.into());
        self
    }

    /// How many tokens the answer may have. Default is 1,024.
    #[must_use]
    pub fn max_tokens(mut self, tokens: u32) -> Self {
        self.max_tokens = tokens;
        self
    }

    /// How freely the model chooses, from 0. Default is the client's.
    #[must_use]
    pub fn temperature(mut self, temperature: f32) -> Self {
        self.temperature = Some(temperature);
        self
    }

    /// One more text at which the answer ends.
    #[must_use]
    pub fn stop(mut self, sequence: impl Into<String>) -> Self {
        self.stop.push(sequence.into());
        self
    }
}

impl From<&str> for SampleRequest {
    fn from(text: &str) -> Self {
        Self::new([Message::user(text)])
    }
}

impl From<String> for SampleRequest {
    fn from(text: String) -> Self {
        Self::new([Message::user(text)])
    }
}

/// A request to the client's model, about to be sent: see [`Context::sample`].
///
/// Awaiting it asks. The answer is a [`Sampled`].
///
/// ```
/// use genkit::{Context, Result, tool};
///
/// /// Finds a rhyme with the client's own model.
/// #[tool]
/// async fn rhyme(ctx: &Context, word: String) -> Result<String> {
///     let said = ctx
///         .sample(format!("A word that rhymes with {word}?"))
///         .system("Answer in one word.")
///         .max_tokens(10) // default is 1,024
///         .temperature(0.7) // default is the client's
///         .stop(".")
///         .key("rhyme")
///         .await?;
///     Ok(said.text())
/// }
/// ```
///
/// # Errors
/// Awaiting it fails with [`ErrorKind::FailedPrecondition`] where the caller lends no model, with
/// [`ErrorKind::InvalidArgument`] where the answer is malformed, and with what the caller answers
/// with.
#[must_use = "a question is asked when it is awaited"]
pub struct Sample<'a> {
    context: &'a Context,
    key: Option<String>,
    request: SampleRequest,
}

impl<'a> Sample<'a> {
    pub(super) fn new(context: &'a Context, request: SampleRequest) -> Self {
        Self { context, key: None, request }
    }

    /// Names the question: see [`Elicit::key`].
    pub fn key(mut self, key: impl Into<String>) -> Self {
        self.key = Some(key.into());
        self
    }

    /// How many tokens the answer may have.
    pub fn max_tokens(mut self, tokens: u32) -> Self {
        self.request = self.request.max_tokens(tokens);
        self
    }

    /// Instructions above the conversation.
    pub fn system(mut self, text: impl Into<String>) -> Self {
        self.request = self.request.system(text);
        self
    }

    /// How freely the model chooses, from 0.
    pub fn temperature(mut self, temperature: f32) -> Self {
        self.request = self.request.temperature(temperature);
        self
    }

    /// Where the answer ends.
    pub fn stop(mut self, sequence: impl Into<String>) -> Self {
        self.request = self.request.stop(sequence);
        self
    }
}

impl<'a> IntoFuture for Sample<'a> {
    type Output = Result<Sampled>;
    type IntoFuture = Asked<'a, Sampled>;

    fn into_future(self) -> Self::IntoFuture {
        Box::pin(self.context.ask_for(self.key, QuestionKind::Sample(self.request), sampled))
    }
}

/// What the client's model said.
///
/// ```
/// use genkit::{Context, Result, tool};
///
/// /// Sums a text up.
/// #[tool]
/// async fn sum_up(ctx: &Context, text: String) -> Result<String> {
///     let said = ctx.sample(format!("Sum up: {text}")).await?;
///     if said.stop_reason() == Some("maxTokens") {
///         ctx.warn("the summary is cut").await;
///     }
///     Ok(format!("{} ({})", said.text(), said.model().unwrap_or("unknown")))
/// }
/// ```
#[derive(Clone, Debug, PartialEq)]
pub struct Sampled {
    answer: Value,
}

/// Reads MCP's `CreateMessageResult`.
fn sampled(answer: Value) -> Result<Sampled> {
    match answer.get("content") {
        Some(Value::Object(_) | Value::Array(_)) => Ok(Sampled { answer }),
        _ => Err(Error::invalid_argument("the answer to a sampling request has no `content`")),
    }
}

impl Sampled {
    /// Its text.
    pub fn text(&self) -> String {
        let content = &self.answer["content"];
        let blocks = content.as_array().map_or(std::slice::from_ref(content), Vec::as_slice);
        blocks.iter().filter_map(|block| block.get("text")?.as_str()).collect()
    }

    /// The model that the client used.
    pub fn model(&self) -> Option<&str> {
        self.answer.get("model")?.as_str()
    }

    /// Why it ended, in MCP's words: `endTurn`, `maxTokens`, ….
    pub fn stop_reason(&self) -> Option<&str> {
        self.answer.get("stopReason")?.as_str()
    }
}

/// A question for the client's folders, about to be asked: see [`Context::roots`].
///
/// Awaiting it asks. The answer is a list of [`Root`]s.
///
/// ```
/// use genkit::{Context, ErrorKind};
///
/// # #[tokio::main(flavor = "current_thread")]
/// # async fn main() {
/// let error = Context::detached().roots().key("folders").await.unwrap_err();
/// assert_eq!(error.kind(), ErrorKind::FailedPrecondition); // nobody can be asked
/// # }
/// ```
///
/// # Errors
/// Awaiting it fails with [`ErrorKind::FailedPrecondition`] where the caller tells no roots, with
/// [`ErrorKind::InvalidArgument`] where its list is malformed, and with what the caller answers
/// with.
#[must_use = "a question is asked when it is awaited"]
pub struct Roots<'a> {
    context: &'a Context,
    key: Option<String>,
}

impl<'a> Roots<'a> {
    pub(super) fn new(context: &'a Context) -> Self {
        Self { context, key: None }
    }

    /// Names the question: see [`Elicit::key`].
    pub fn key(mut self, key: impl Into<String>) -> Self {
        self.key = Some(key.into());
        self
    }
}

impl<'a> IntoFuture for Roots<'a> {
    type Output = Result<Vec<Root>>;
    type IntoFuture = Asked<'a, Vec<Root>>;

    fn into_future(self) -> Self::IntoFuture {
        Box::pin(self.context.ask_for(self.key, QuestionKind::Roots, |mut answer| {
            let roots = answer.get_mut("roots").map(Value::take).unwrap_or_default();
            serde_json::from_value(roots).map_err(|e| {
                Error::invalid_argument(format!("the list of roots is malformed: {e}"))
            })
        }))
    }
}

/// A folder, or another root, that the client works in.
///
/// ```
/// use genkit::Root;
/// use serde_json::json;
///
/// let root: Root = serde_json::from_value(json!({"uri": "file:///home/ada/project"}))?;
/// assert_eq!(root.uri, "file:///home/ada/project");
/// assert_eq!(root.name, None);
/// # Ok::<(), genkit::Error>(())
/// ```
#[derive(Clone, Debug, PartialEq, Eq, serde::Deserialize, serde::Serialize)]
#[non_exhaustive]
pub struct Root {
    /// Its address, for example `file:///home/ada/project`.
    pub uri: String,
    /// Its name for people.
    #[serde(default)]
    pub name: Option<String>,
}
