//! Interrupts: the open questions of a run, and the answers to them.

use serde::Serialize;
use serde_json::{Map, Value, json};

use super::suspended::{ANSWERS, INTERRUPT, REPLACED_INPUT, RESUMED, Suspended, about_call};
use crate::action::{DeclaredFn, Tool};
use crate::context::MCP_TASK;
use crate::context::{Decision, Question, QuestionKind, UserAction};
use crate::message::{Message, Part, ToolRequest, ToolResponse};

/// An interrupt: an open question of a run, for a human in the loop.
///
/// Methods such as [`approve`](Self::approve) and [`respond`](Self::respond) create an [`Answer`]. `resume` calls a
/// closure for each interrupt, and `resume_with_answers` takes a list of answers.
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
/// let run = genkit::generate("delete note 7").model(model).tools(tools![delete]);
/// let asked = run.clone().await?;
/// let question = &asked.interrupts()[0];
/// assert_eq!(question.message(), Some("Allow `delete` to run with {\"id\":7}?"));
///
/// let done = run.resume(asked, |question| question.approve()).await?;
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
    /// Returns the open questions of a message.
    #[doc(hidden)]
    pub fn find_all(message: &Message) -> Vec<Self> {
        message.content.iter().flat_map(Self::from_part).collect()
    }

    /// Returns the open questions of one call.
    pub(crate) fn from_part(part: &Part) -> Vec<Self> {
        let Part::ToolRequest { tool_request, metadata } = part else { return Vec::new() };
        let Some(shown) = metadata.get(INTERRUPT) else { return Vec::new() };
        let questions = match Suspended::read(metadata) {
            Ok(Some(suspended)) => suspended.questions,
            // Resuming reports the error. Here, the call is still an open question.
            _ => vec![about_call(shown.clone())],
        };
        let of_question =
            |question| Self { request: tool_request.clone(), metadata: metadata.clone(), question };
        questions.into_iter().map(of_question).collect()
    }

    /// Returns the tool request of the interrupted call.
    pub fn tool_request(&self) -> &ToolRequest {
        &self.request
    }

    /// Returns the key of the question, unique within its call.
    pub fn key(&self) -> &str {
        &self.question.key
    }

    /// Returns the message of the question, for the user. For
    /// [`Context::interrupt`](crate::context::Context::interrupt), this is the field `message` of its metadata, if the
    /// metadata is an object.
    pub fn message(&self) -> Option<&str> {
        self.question.message_text()
    }

    /// Returns the schema of the form, if the question is a form.
    pub fn schema(&self) -> Option<&Value> {
        self.question.schema()
    }

    /// Returns the URL of the page that the user should visit, if the question was asked with
    /// [`Context::elicit_url`](crate::context::Context::elicit_url). Show the URL, and open it only if the user agrees;
    /// then [`accept`](Self::accept) the question with `()`.
    pub fn url(&self) -> Option<&str> {
        self.question.url()
    }

    /// Returns the metadata that was passed to [`Context::interrupt`](crate::context::Context::interrupt).
    pub fn metadata(&self) -> Option<&Value> {
        self.question.metadata()
    }

    /// Returns `true` if the question is an approval: the tool runs only if the user agrees.
    pub fn is_approval(&self) -> bool {
        matches!(self.question.kind, QuestionKind::Approval { .. })
    }

    /// Returns `true` if the interrupt represents a task: the call continues as a task on an MCP server, and the run
    /// was interrupted instead of waiting (`TaskWait::Interrupt`). [`metadata`](Self::metadata) describes the task
    /// under `mcpTask`. [`restart`](Self::restart) checks the task again, and [`decline`](Self::decline) cancels it.
    pub fn is_task(&self) -> bool {
        self.metadata().is_some_and(|shown| shown.get(MCP_TASK).is_some())
    }

    /// Approves the call, so that it runs.
    pub fn approve(&self) -> Answer {
        self.build_answer(UserAction::Accept, json!({}), json!({ "toolApproved": true }))
    }

    /// Approves the call with other arguments. They replace the original arguments in the history, and a note informs
    /// the model of the arguments that it had requested.
    ///
    /// ```
    /// use genkit::model::ModelResponse;
    /// use genkit::testing::ScriptedModel;
    /// use genkit::message::ToolRequest;
    /// use genkit::{Result, tool, tools};
    /// use serde_json::json;
    ///
    /// /// Pays.
    /// #[tool(needs_approval)]
    /// async fn pay(euros: u64) -> String {
    ///     format!("paid {euros}")
    /// }
    ///
    /// # #[tokio::main(flavor = "current_thread")]
    /// # async fn main() -> Result<()> {
    /// let model = ScriptedModel::new([
    ///     ModelResponse::from_tool_requests([ToolRequest::new("pay", json!({"euros": 500}))]),
    ///     ModelResponse::from_text("I paid 50, as you corrected."),
    /// ]);
    /// let run = genkit::generate("Pay the bill.").model(model.clone()).tools(tools![pay]);
    /// let asked = run.clone().await?;
    /// run.resume(asked, |question| question.approve_with(json!({"euros": 50}))).await?;
    /// assert_eq!(model.tool_calls()[0].input["euros"], 50);
    /// assert_eq!(model.tool_outputs("pay"), ["paid 50"]);
    /// # Ok(())
    /// # }
    /// ```
    pub fn approve_with(&self, input: impl Serialize) -> Answer {
        self.approve().with_input(input)
    }

    /// Declines the question with a reason. A call that needs approval does not run, and its error contains the reason.
    pub fn decline_with(&self, reason: impl Into<String>) -> Answer {
        self.build_answer(UserAction::Decline, json!({ "reason": reason.into() }), true.into())
    }

    /// Declines the call with a reason.
    #[deprecated(note = "renamed to `decline_with`")]
    pub fn deny(&self, reason: impl Into<String>) -> Answer {
        self.decline_with(reason)
    }

    /// Accepts the question, with `content` as the values of the form.
    pub fn accept(&self, content: impl Serialize) -> Answer {
        match genkit_schema::internal::to_finite_value(content) {
            Ok(content) => self.build_answer(UserAction::Accept, content, true.into()),
            Err(error) => {
                self.cancel().with_error(format!("failed to serialize the content: {error}"))
            }
        }
    }

    /// Declines the question (a form or an approval) without a reason. A tool that asked with a form receives
    /// [`Elicited::Declined`](crate::context::Elicited::Declined).
    pub fn decline(&self) -> Answer {
        self.build_answer(UserAction::Decline, json!({}), true.into())
    }

    /// Cancels the question: dismisses it without an answer.
    pub fn cancel(&self) -> Answer {
        self.build_answer(UserAction::Cancel, json!({}), true.into())
    }

    /// Responds on behalf of the tool: the tool does not run, and the model receives `output`.
    pub fn respond(&self, output: impl Serialize) -> Answer {
        match genkit_schema::internal::to_finite_value(output) {
            Ok(output) => Answer::respond(self.request.respond(output)),
            Err(error) => {
                self.cancel().with_error(format!("failed to serialize the output: {error}"))
            }
        }
    }

    /// Responds on behalf of the declared tool `F` (`#[tool] async fn f(..) -> T;`) with a value of its return type.
    /// The same as [`respond`](Self::respond), but checked by the compiler. If the question is from another tool,
    /// resuming with the answer fails.
    pub fn respond_as<F: DeclaredFn<Output: Serialize>>(&self, output: F::Output) -> Answer {
        let tool = Tool::of::<F>();
        let tool = tool.name();
        if self.request.name == tool {
            return self.respond(output);
        }
        self.cancel().with_error(format!(
            "`respond_as::<{tool}>` responds on behalf of `{tool}`; check `question.tool_request().name` first"
        ))
    }

    /// Restarts the tool: runs it again, with `metadata` as the return value of
    /// [`Context::interrupt`](crate::context::Context::interrupt). To approve a call, use [`approve`](Self::approve), or pass
    /// `{"toolApproved": true}` here. Any other `metadata` declines an approval.
    pub fn restart(&self, metadata: impl Serialize) -> Answer {
        let metadata = match genkit_schema::internal::to_finite_value(metadata) {
            Ok(metadata) => metadata,
            Err(error) => {
                return self
                    .cancel()
                    .with_error(format!("failed to serialize the metadata: {error}"));
            }
        };
        let yes = !self.is_approval() || metadata.get("toolApproved") == Some(&Value::Bool(true));
        let action = if yes { UserAction::Accept } else { UserAction::Decline };
        let resumed = if metadata.is_null() { true.into() } else { metadata.clone() };
        self.build_answer(action, metadata, resumed)
    }

    /// Restarts the tool with other arguments.
    pub fn restart_with(&self, metadata: impl Serialize, input: impl Serialize) -> Answer {
        self.restart(metadata).with_input(input)
    }

    fn build_answer(&self, action: UserAction, content: Value, resumed: Value) -> Answer {
        let mut part = Part::ToolRequest {
            tool_request: self.request.clone(),
            metadata: self.metadata.clone(),
        };
        let metadata = part.metadata_mut();
        // This answer does not replace the input, even if an earlier answer did.
        metadata.shift_remove(REPLACED_INPUT);
        metadata.insert(RESUMED.to_owned(), resumed);
        let answer = json!({ self.question.key.as_str(): Decision::new(action, content) });
        metadata.insert(ANSWERS.to_owned(), answer);
        Answer::from_kind(Kind::Restart(part))
    }
}

/// An answer to an [`Interrupt`]. It is plain data: see [`Answer::part`].
#[must_use = "an answer has no effect until it is passed to `resume`"]
#[derive(Clone, Debug, PartialEq)]
pub struct Answer {
    pub(super) kind: Kind,
    /// The reason why a value in the answer cannot be serialized. The resumed run fails with this error.
    pub(super) error: Option<String>,
}

#[derive(Clone, Debug, PartialEq)]
pub enum Kind {
    Respond(Part),
    Restart(Part),
}

impl Kind {
    pub(super) fn part(&self) -> &Part {
        match self {
            Self::Respond(part) | Self::Restart(part) => part,
        }
    }
}

impl Answer {
    pub(super) fn from_kind(kind: Kind) -> Self {
        Self { kind, error: None }
    }

    /// Creates an answer from a response on behalf of the tool: Genkit's `respond`.
    pub fn respond(response: ToolResponse) -> Self {
        let part = Part::tool_response(response).with_metadata("interruptResponse", true);
        Self::from_kind(Kind::Respond(part))
    }

    /// Returns this answer as a part, as Genkit lists it under `respond` or `restart` in `resume`.
    pub fn part(&self) -> &Part {
        self.kind.part()
    }

    fn with_error(mut self, error: String) -> Self {
        self.error = Some(error);
        self
    }

    fn with_input(mut self, input: impl Serialize) -> Self {
        let input = match genkit_schema::internal::to_finite_value(input) {
            Ok(input) => input,
            Err(error) => {
                return self.with_error(format!("failed to serialize the arguments: {error}"));
            }
        };
        if let Kind::Restart(Part::ToolRequest { tool_request, metadata }) = &mut self.kind {
            let before = std::mem::replace(&mut tool_request.input, input);
            metadata.insert(REPLACED_INPUT.to_owned(), before);
        }
        self
    }
}
