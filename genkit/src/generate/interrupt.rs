//! Calls that ask: what stands in a response, and how it is answered.

use serde::{Deserialize, Serialize};
use serde_json::{Map, Value, json};

use crate::context::{Question, QuestionKind, Recording};
use crate::error::{Error, ErrorKind, Result};
use crate::message::{Message, Part, ToolRequest, ToolResponse};

/// The keys of a part's metadata. All but `SUSPENDED` and `ANSWERS` are Genkit's.
pub(super) const INTERRUPT: &str = "interrupt";
pub(super) const RESOLVED: &str = "resolvedInterrupt";
pub(super) const PENDING_OUTPUT: &str = "pendingOutput";
pub(super) const PENDING_CONTENT: &str = "pendingContent";
pub(super) const PENDING_METADATA: &str = "pendingMetadata";
pub(super) const RESUMED: &str = "resumed";
pub(super) const REPLACED_INPUT: &str = "replacedInput";
pub(super) const SUSPENDED: &str = "suspended";
pub(super) const ANSWERS: &str = "answers";

/// The key of a question about the call as a whole, which no function asks.
pub(super) const CALL_KEY: &str = "call";

/// The schema of what is stored of a suspended call.
const VERSION: u32 = 1;

/// A call that asked something: enough to run it again, in any process.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
pub(super) struct Suspended {
    version: u32,
    pub(super) questions: Vec<Open>,
    #[serde(default)]
    pub(super) recording: Recording,
}

/// An open question, as it is stored.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
pub(super) struct Open {
    pub(super) key: String,
    #[serde(flatten)]
    pub(super) asks: Asks,
}

/// What is asked.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
#[serde(tag = "type", rename_all = "camelCase")]
pub(super) enum Asks {
    Elicitation { message: String, schema: Value },
    Approval { message: String },
    Interrupt { metadata: Value },
}

impl Suspended {
    pub(super) fn new(questions: Vec<Question>, recording: Recording) -> Result<Self> {
        let questions = questions
            .into_iter()
            .map(|Question { key, kind }| {
                let asks = match kind {
                    QuestionKind::Elicit { message, schema } => {
                        Asks::Elicitation { message, schema }
                    }
                    QuestionKind::Approve { message } => Asks::Approval { message },
                    QuestionKind::Interrupt { metadata } => Asks::Interrupt { metadata },
                    QuestionKind::Sample(_) | QuestionKind::Roots => {
                        let said = "this question cannot wait for an answer";
                        return Err(Error::new(ErrorKind::Internal, said));
                    }
                };
                Ok(Open { key, asks })
            })
            .collect::<Result<_>>()?;
        Ok(Self { version: VERSION, questions, recording })
    }

    /// One that interrupts without having run: a middleware's.
    pub(super) fn plain(metadata: Value) -> Self {
        let asks = Asks::Interrupt { metadata };
        let questions = vec![Open { key: CALL_KEY.to_owned(), asks }];
        Self { version: VERSION, questions, recording: Recording::default() }
    }

    /// Puts it into the metadata of its request.
    pub(super) fn write(self, part: &mut Part) {
        let metadata = part.metadata_mut();
        let shown = self.questions.first().map_or(Value::Bool(true), |open| open.asks.shown());
        metadata.insert(INTERRUPT.to_owned(), shown);
        let stored = serde_json::to_value(&self).unwrap_or_default();
        metadata.insert(SUSPENDED.to_owned(), stored);
    }

    /// What a request's metadata says; `None` if the call was suspended by something else that
    /// speaks Genkit's JSON.
    pub(super) fn read(metadata: &Map<String, Value>) -> Result<Option<Self>> {
        let Some(stored) = metadata.get(SUSPENDED) else { return Ok(None) };
        let version = stored.get("version").and_then(Value::as_u64);
        if version != Some(u64::from(VERSION)) {
            return Err(Error::new(
                ErrorKind::FailedPrecondition,
                format!(
                    "this run was suspended with the schema {}, and this program reads {VERSION}: \
                     resume it with the version of the program that suspended it",
                    version.map_or("unknown".to_owned(), |version| version.to_string())
                ),
            ));
        }
        serde_json::from_value(stored.clone()).map(Some).map_err(|e| {
            Error::invalid_argument(format!("a suspended call does not read: {e}")).with_source(e)
        })
    }
}

impl Asks {
    /// What Genkit's tools see under `interrupt`.
    fn shown(&self) -> Value {
        match self {
            Self::Interrupt { metadata: Value::Null } => Value::Bool(true),
            Self::Interrupt { metadata } => metadata.clone(),
            other => serde_json::to_value(other).unwrap_or(Value::Bool(true)),
        }
    }
}

/// Takes out what a request says of its open questions.
pub(super) fn close(request: &mut Part) {
    let metadata = request.metadata_mut();
    metadata.shift_remove(INTERRUPT);
    metadata.shift_remove(SUSPENDED);
}

/// Puts the answer of a call, whose siblings ask, into the metadata of its request.
pub(super) fn set_pending(request: &mut Part, answer: Part) {
    let Part::ToolResponse { tool_response, metadata: of_answer } = answer else { return };
    let metadata = request.metadata_mut();
    metadata.insert(PENDING_OUTPUT.to_owned(), tool_response.output);
    if !tool_response.content.is_empty() {
        let content = serde_json::to_value(tool_response.content).unwrap_or_default();
        metadata.insert(PENDING_CONTENT.to_owned(), content);
    }
    if !of_answer.is_empty() {
        metadata.insert(PENDING_METADATA.to_owned(), of_answer.into());
    }
}

/// An open question of a run that was interrupted.
///
/// Each method makes an [`Answer`]; [`resume`](crate::resume) takes the answers to all of them.
///
/// ```
/// use genkit::model::ModelResponse;
/// use genkit::testing::ScriptedModel;
/// use genkit::{Context, Result, ToolRequest, tool, tools};
/// use serde_json::json;
///
/// /// Deletes a note.
/// #[tool(needs_approval)]
/// async fn delete(id: u64) -> String {
///     format!("{id} is gone")
/// }
///
/// # #[tokio::main(flavor = "current_thread")]
/// # async fn main() -> Result<()> {
/// let model = ScriptedModel::new([
///     ModelResponse::tool_requests([ToolRequest::new("delete", json!({"id": 7}))]),
///     ModelResponse::text("Note 7 is deleted."),
/// ]);
/// let asked = genkit::generate("delete note 7").model(model.clone()).tools(tools![delete]).await?;
/// let question = &asked.interrupts()[0];
/// assert_eq!(question.message(), Some("Allow `delete` to run with {\"id\":7}?"));
///
/// let answer = question.approve();
/// let done = genkit::resume(asked, [answer]).model(model).tools(tools![delete]).await?;
/// assert_eq!(done.text(), "Note 7 is deleted.");
/// # Ok(())
/// # }
/// ```
#[derive(Clone, Debug, PartialEq)]
pub struct Interrupt {
    request: ToolRequest,
    metadata: Map<String, Value>,
    open: Open,
}

impl Interrupt {
    /// The open questions of a message.
    pub(super) fn all(message: &Message) -> Vec<Self> {
        let mut found = Vec::new();
        for part in &message.content {
            let Part::ToolRequest { tool_request, metadata } = part else { continue };
            let Some(shown) = metadata.get(INTERRUPT) else { continue };
            let questions = match Suspended::read(metadata) {
                Ok(Some(suspended)) => suspended.questions,
                // Resuming says what is wrong; here it is a question all the same.
                _ => {
                    let asks = Asks::Interrupt { metadata: shown.clone() };
                    vec![Open { key: CALL_KEY.to_owned(), asks }]
                }
            };
            found.extend(questions.into_iter().map(|open| Self {
                request: tool_request.clone(),
                metadata: metadata.clone(),
                open,
            }));
        }
        found
    }

    /// The call that asks.
    pub fn tool_request(&self) -> &ToolRequest {
        &self.request
    }

    /// The key of the question, unique within its call.
    pub fn key(&self) -> &str {
        &self.open.key
    }

    /// What is asked, for people; what [`Context::interrupt`](crate::Context::interrupt) gave as
    /// `message` where it gave an object.
    pub fn message(&self) -> Option<&str> {
        match &self.open.asks {
            Asks::Elicitation { message, .. } | Asks::Approval { message } => Some(message),
            Asks::Interrupt { metadata } => metadata.get("message")?.as_str(),
        }
    }

    /// The schema of the form, where the user is asked to fill one in.
    pub fn schema(&self) -> Option<&Value> {
        match &self.open.asks {
            Asks::Elicitation { schema, .. } => Some(schema),
            _ => None,
        }
    }

    /// What [`Context::interrupt`](crate::Context::interrupt) was given.
    pub fn metadata(&self) -> Option<&Value> {
        match &self.open.asks {
            Asks::Interrupt { metadata } => Some(metadata),
            _ => None,
        }
    }

    /// Whether a yes or no is wanted before the tool runs on.
    pub fn is_approval(&self) -> bool {
        matches!(self.open.asks, Asks::Approval { .. })
    }

    /// Lets it run.
    pub fn approve(&self) -> Answer {
        self.answer("accept", json!({})).resumed(json!({ "toolApproved": true }))
    }

    /// Lets it run with other arguments.
    pub fn approve_with(&self, input: impl Into<Value>) -> Answer {
        self.approve().replaced(input.into())
    }

    /// Does not let it run: the model is told so, with the reason.
    pub fn deny(&self, reason: impl Into<String>) -> Answer {
        self.answer("decline", json!({ "reason": reason.into() }))
    }

    /// Fills in the form.
    pub fn accept(&self, content: impl Into<Value>) -> Answer {
        self.answer("accept", content.into())
    }

    /// Closes the question without an answer.
    pub fn cancel(&self) -> Answer {
        self.answer("cancel", json!({}))
    }

    /// Answers in the tool's place: it does not run, and the model gets `output`.
    pub fn respond(&self, output: impl Into<Value>) -> Answer {
        Answer(Kind::Respond(
            Part::tool_response(self.request.respond(output))
                .with_metadata("interruptResponse", true),
        ))
    }

    /// Runs the tool again; [`Context::interrupt`](crate::Context::interrupt) gives it `metadata`.
    /// An approval is given by [`approve`](Self::approve), or by `{"toolApproved": true}` here.
    pub fn restart(&self, metadata: impl Into<Value>) -> Answer {
        let metadata = metadata.into();
        let yes = !self.is_approval() || metadata.get("toolApproved") == Some(&Value::Bool(true));
        let action = if yes { "accept" } else { "decline" };
        self.answer(action, metadata.clone()).resumed(metadata)
    }

    /// Runs the tool again with other arguments.
    pub fn restart_with(&self, metadata: impl Into<Value>, input: impl Into<Value>) -> Answer {
        self.restart(metadata).replaced(input.into())
    }

    fn answer(&self, action: &str, content: Value) -> Answer {
        let mut part = Part::ToolRequest {
            tool_request: self.request.clone(),
            metadata: self.metadata.clone(),
        };
        let metadata = part.metadata_mut();
        metadata.insert(RESUMED.to_owned(), Value::Bool(true));
        let answer = json!({ "action": action, "content": content });
        metadata.insert(ANSWERS.to_owned(), json!({ self.open.key.as_str(): answer }));
        Answer(Kind::Restart(part))
    }
}

/// An answer to an [`Interrupt`]. It is data: see [`Answer::part`].
#[must_use = "an answer is given to `resume`"]
#[derive(Clone, Debug, PartialEq)]
pub struct Answer(pub(super) Kind);

#[derive(Clone, Debug, PartialEq)]
pub(super) enum Kind {
    Respond(Part),
    Restart(Part),
}

impl Answer {
    /// A tool's answer given in its place: Genkit's `respond`.
    pub fn respond(response: ToolResponse) -> Self {
        Self(Kind::Respond(Part::tool_response(response).with_metadata("interruptResponse", true)))
    }

    /// The part that stands under `respond` or `restart` of Genkit's `resume`.
    pub fn part(&self) -> &Part {
        match &self.0 {
            Kind::Respond(part) | Kind::Restart(part) => part,
        }
    }

    fn resumed(mut self, metadata: Value) -> Self {
        if let Kind::Restart(part) = &mut self.0 {
            let metadata = if metadata.is_null() { Value::Bool(true) } else { metadata };
            part.metadata_mut().insert(RESUMED.to_owned(), metadata);
        }
        self
    }

    fn replaced(mut self, input: Value) -> Self {
        if let Kind::Restart(Part::ToolRequest { tool_request, metadata }) = &mut self.0 {
            let before = std::mem::replace(&mut tool_request.input, input);
            metadata.insert(REPLACED_INPUT.to_owned(), before);
        }
        self
    }
}
