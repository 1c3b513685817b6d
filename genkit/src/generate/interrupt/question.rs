//! Interrupts: the open questions of a run, and the answers to them.

use serde_json::{Map, Value, json};

use super::suspended::{ANSWERS, INTERRUPT, REPLACED_INPUT, RESUMED, Suspended, about_call};
use crate::context::{Decision, Question, QuestionKind, UserAction};
use crate::message::{Message, Part, ToolRequest, ToolResponse};

/// An interrupt: an open question of a run, for a human in the loop.
///
/// Each method makes an [`Answer`]; [`resume`](crate::resume) takes the answers to all of them.
///
/// ```
/// use genkit::model::ModelResponse;
/// use genkit::testing::ScriptedModel;
/// use genkit::message::ToolRequest;
/// use genkit::{Context, Result, tool, tools};
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
///     ModelResponse::from_tool_requests([ToolRequest::new("delete", json!({"id": 7}))]),
///     ModelResponse::from_text("Note 7 is deleted."),
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
    question: Question,
}

impl Interrupt {
    /// The open questions of a message.
    pub(crate) fn all(message: &Message) -> Vec<Self> {
        let mut found = Vec::new();
        for part in &message.content {
            let Part::ToolRequest { tool_request, metadata } = part else { continue };
            let Some(shown) = metadata.get(INTERRUPT) else { continue };
            let questions = match Suspended::read(metadata) {
                Ok(Some(suspended)) => suspended.questions,
                // Resuming says what is wrong; here it is a question all the same.
                _ => vec![about_call(shown.clone())],
            };
            found.extend(questions.into_iter().map(|question| Self {
                request: tool_request.clone(),
                metadata: metadata.clone(),
                question,
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
        &self.question.key
    }

    /// What is asked, for people; what [`Context::interrupt`](crate::Context::interrupt) gave as
    /// `message` where it gave an object.
    pub fn message(&self) -> Option<&str> {
        match &self.question.kind {
            QuestionKind::Elicitation { message, .. } | QuestionKind::Approval { message } => {
                Some(message)
            }
            QuestionKind::Interrupt { metadata } => metadata.get("message")?.as_str(),
            QuestionKind::Sampling(_) | QuestionKind::Roots => None,
        }
    }

    /// The schema of the form, where the user is asked to fill one in.
    pub fn schema(&self) -> Option<&Value> {
        match &self.question.kind {
            QuestionKind::Elicitation { schema, .. } => Some(schema),
            _ => None,
        }
    }

    /// What [`Context::interrupt`](crate::Context::interrupt) was given.
    pub fn metadata(&self) -> Option<&Value> {
        match &self.question.kind {
            QuestionKind::Interrupt { metadata } => Some(metadata),
            _ => None,
        }
    }

    /// Whether a yes or no is wanted before the tool runs on.
    pub fn is_approval(&self) -> bool {
        matches!(self.question.kind, QuestionKind::Approval { .. })
    }

    /// Lets it run.
    pub fn approve(&self) -> Answer {
        self.answer(UserAction::Accept, json!({}), json!({ "toolApproved": true }))
    }

    /// Lets it run with other arguments.
    pub fn approve_with(&self, input: impl Into<Value>) -> Answer {
        self.approve().replaced(input.into())
    }

    /// Does not let it run: the model is told so, with the reason.
    pub fn deny(&self, reason: impl Into<String>) -> Answer {
        self.answer(UserAction::Decline, json!({ "reason": reason.into() }), true.into())
    }

    /// Fills in the form.
    pub fn accept(&self, content: impl Into<Value>) -> Answer {
        self.answer(UserAction::Accept, content.into(), true.into())
    }

    /// Closes the question without an answer.
    pub fn cancel(&self) -> Answer {
        self.answer(UserAction::Cancel, json!({}), true.into())
    }

    /// Answers in the tool's place: it does not run, and the model gets `output`.
    pub fn respond(&self, output: impl Into<Value>) -> Answer {
        Answer::respond(self.request.respond(output))
    }

    /// Runs the tool again; [`Context::interrupt`](crate::Context::interrupt) gives it `metadata`.
    /// An approval is given by [`approve`](Self::approve), or by `{"toolApproved": true}` here.
    pub fn restart(&self, metadata: impl Into<Value>) -> Answer {
        let metadata = metadata.into();
        let yes = !self.is_approval() || metadata.get("toolApproved") == Some(&Value::Bool(true));
        let action = if yes { UserAction::Accept } else { UserAction::Decline };
        let resumed = if metadata.is_null() { true.into() } else { metadata.clone() };
        self.answer(action, metadata, resumed)
    }

    /// Runs the tool again with other arguments.
    pub fn restart_with(&self, metadata: impl Into<Value>, input: impl Into<Value>) -> Answer {
        self.restart(metadata).replaced(input.into())
    }

    fn answer(&self, action: UserAction, content: Value, resumed: Value) -> Answer {
        let mut part = Part::ToolRequest {
            tool_request: self.request.clone(),
            metadata: self.metadata.clone(),
        };
        let metadata = part.metadata_mut();
        metadata.insert(RESUMED.to_owned(), resumed);
        let answer = json!({ self.question.key.as_str(): Decision::new(action, content) });
        metadata.insert(ANSWERS.to_owned(), answer);
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

    fn replaced(mut self, input: Value) -> Self {
        if let Kind::Restart(Part::ToolRequest { tool_request, metadata }) = &mut self.0 {
            let before = std::mem::replace(&mut tool_request.input, input);
            metadata.insert(REPLACED_INPUT.to_owned(), before);
        }
        self
    }
}
