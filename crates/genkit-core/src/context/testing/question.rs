//! The questions of a function under test, and the conversion of their answers.

use serde_json::{Value, json};

use crate::context::error::Error as E;
use crate::context::question::{
    CallerAnswer, Decision, Elicited, Question, QuestionKind, UserAction,
};

/// A question that a function under test asked.
///
/// ```
/// use genkit::testing::AskedKind;
/// use genkit::{Context, Result, tool};
///
/// /// Deletes all notes.
/// #[tool(destructive)]
/// async fn delete_all(ctx: &Context) -> Result<String> {
///     ctx.confirm("Delete all notes?").await?;
///     Ok("deleted".into())
/// }
///
/// # #[tokio::main(flavor = "current_thread")]
/// # async fn main() -> Result<()> {
/// let ctx = Context::testing().answer(true).build();
/// delete_all(&ctx).await?;
/// let asked = &ctx.reports().questions[0];
/// assert_eq!((asked.kind(), asked.message()), (AskedKind::Confirm, "Delete all notes?"));
/// # Ok(())
/// # }
/// ```
#[derive(Clone, Debug, PartialEq)]
pub struct AskedQuestion {
    question: Question,
    message: String,
}

/// The kind of a question, named after the method of [`Context`](crate::context::Context) that asked it.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
#[non_exhaustive]
pub enum AskedKind {
    /// A form for the user: [`Context::elicit`](crate::context::Context::elicit).
    Elicit,
    /// A page for the user to visit: [`Context::elicit_url`](crate::context::Context::elicit_url).
    ElicitUrl,
    /// An approval by the user: [`Context::confirm`](crate::context::Context::confirm).
    Confirm,
    /// Text from the client's model: [`Context::sample`](crate::context::Context::sample).
    Sample,
    /// The client's folders: [`Context::roots`](crate::context::Context::roots).
    Roots,
    /// Any question to the caller: [`Context::interrupt`](crate::context::Context::interrupt).
    Interrupt,
}

impl AskedQuestion {
    pub(super) fn new(question: Question) -> Self {
        let message = match &question.kind {
            QuestionKind::Sampling(request) => {
                request.messages.iter().map(|message| message.text()).collect()
            }
            _ => question.message_text().unwrap_or_default().to_owned(),
        };
        Self { question, message }
    }

    /// Returns the key that `.key(..)` set, otherwise `q1`, `q2`, … in the order of the questions.
    pub fn key(&self) -> &str {
        &self.question.key
    }

    /// Returns the kind of the question.
    pub fn kind(&self) -> AskedKind {
        match self.question.kind {
            QuestionKind::Elicitation { .. } => AskedKind::Elicit,
            QuestionKind::ElicitUrl { .. } => AskedKind::ElicitUrl,
            QuestionKind::Approval { .. } => AskedKind::Confirm,
            QuestionKind::Sampling(_) => AskedKind::Sample,
            QuestionKind::Roots => AskedKind::Roots,
            QuestionKind::Interrupt { .. } => AskedKind::Interrupt,
        }
    }

    /// Returns the message for the user or the model. The message is empty for roots and for interrupts without text.
    pub fn message(&self) -> &str {
        &self.message
    }

    /// Returns the schema of the form, if this is an elicitation.
    pub fn schema(&self) -> Option<&Value> {
        self.question.schema()
    }

    /// Returns the URL of the page to visit, if this is a URL elicitation.
    pub fn url(&self) -> Option<&str> {
        self.question.url()
    }

    /// Returns the metadata of an [`interrupt`](crate::context::Context::interrupt).
    pub fn metadata(&self) -> Option<&Value> {
        self.question.metadata()
    }

    /// Converts the answer to the form that a caller sends.
    pub(super) fn to_caller_answer(&self, answer: Elicited<Value>) -> Result<CallerAnswer, E> {
        use AskedKind::{Confirm, Elicit, ElicitUrl, Interrupt, Roots, Sample};
        let decided = |action, content| CallerAnswer::Decision(Decision::new(action, content));
        Ok(match (self.kind(), answer) {
            (Sample | Roots, Elicited::Declined | Elicited::Cancelled) => {
                return Err(E::DeclinedByTest { question: self.to_string() });
            }
            (_, Elicited::Declined) | (Confirm, Elicited::Accepted(Value::Bool(false))) => {
                decided(UserAction::Decline, json!({}))
            }
            (_, Elicited::Cancelled) => decided(UserAction::Cancel, json!({})),
            (Confirm, Elicited::Accepted(Value::Bool(true))) => {
                decided(UserAction::Accept, json!({}))
            }
            (Confirm, Elicited::Accepted(_)) => {
                return Err(
                    self.mismatch_error("the answer to an approval must be `true` or `false`")
                );
            }
            (Elicit | ElicitUrl | Interrupt, Elicited::Accepted(content)) => {
                decided(UserAction::Accept, content)
            }
            (Sample, Elicited::Accepted(Value::String(text))) => CallerAnswer::from_json(json!({
                "role": "assistant", "model": "test", "content": {"type": "text", "text": text},
            })),
            (Sample, Elicited::Accepted(_)) => {
                return Err(self.mismatch_error("the answer to a sampling request must be text"));
            }
            (Roots, Elicited::Accepted(Value::Array(roots))) => {
                let root =
                    |root: Value| if root.is_string() { json!({ "uri": root }) } else { root };
                let roots: Vec<Value> = roots.into_iter().map(root).collect();
                CallerAnswer::from_json(json!({ "roots": roots }))
            }
            (Roots, Elicited::Accepted(_)) => {
                return Err(self.mismatch_error(
                    "the answer to a request for roots must be a list of URIs or `Root`s",
                ));
            }
        })
    }

    fn mismatch_error(&self, why: &'static str) -> E {
        E::TestAnswer { question: self.to_string(), why: why.to_owned() }
    }
}

/// Formats the question for messages: ``confirm `Delete all notes?` (key `q1`)``.
impl std::fmt::Display for AskedQuestion {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        let verb = match self.kind() {
            AskedKind::Elicit => "elicit",
            AskedKind::ElicitUrl => "elicit_url",
            AskedKind::Confirm => "confirm",
            AskedKind::Sample => "sample",
            AskedKind::Roots => "roots",
            AskedKind::Interrupt => "interrupt",
        };
        match self.message.as_str() {
            "" => write!(f, "{verb} (key `{}`)", self.key()),
            message => write!(f, "{verb} `{message}` (key `{}`)", self.key()),
        }
    }
}
