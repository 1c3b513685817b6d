//! A single tool call that the program runs itself, with the same checks and limits as in the agent loop.

use std::any::Any;
use std::sync::Arc;
use std::time::Duration;

use super::interrupt::{Answer, Interrupt};
use super::outcome::ToolOutcome;
use crate::action::Tool;
use crate::context::{Context, TypeMap};
use crate::error::Result;
use crate::message::{Part, ToolRequest};

impl Tool {
    /// Calls the tool in the same way as the agent loop: the arguments are checked, the limits apply, and a failure
    /// becomes a response that a model can read. Works for every kind of tool: from `#[tool]`, [`Tool::builder`], an
    /// MCP server or middleware.
    ///
    /// ```
    /// use genkit::message::ToolRequest;
    /// use genkit::{Context, Tool};
    /// use serde_json::json;
    ///
    /// #[derive(serde::Deserialize, schemars::JsonSchema)]
    /// struct City { name: String }
    ///
    /// # #[tokio::main(flavor = "current_thread")]
    /// # async fn main() -> genkit::Result<()> {
    /// let weather = Tool::builder("weather", "Returns the weather.")
    ///     .handler(|_: Context, city: City| async move { Ok(format!("sunny in {}", city.name)) });
    ///
    /// let request = ToolRequest::new("weather", json!({"name": "Rome"}));
    /// let response = weather.call(&request).await?.into_response()?;
    /// assert_eq!(response.output, "sunny in Rome"); // convert it into a `Part` to add it to a prompt
    ///
    /// let wrong = ToolRequest::new("weather", json!({"town": "Rome"}));
    /// let told = weather.call(&wrong).await?.into_response()?;
    /// assert!(told.error().unwrap().starts_with("Invalid arguments for `weather`"));
    /// # Ok(())
    /// # }
    /// ```
    ///
    /// To run all calls of a response in parallel, use
    /// [`GenerateResponse::run_tools`](crate::GenerateResponse::run_tools).
    pub fn call(&self, request: &ToolRequest) -> ToolInvocation {
        ToolInvocation::new(Some(self.clone()), request.clone(), None)
    }
}

/// A tool invocation: a single tool call that the program makes itself. Created by [`Tool::call`].
///
/// Await it to run the call. The output is a [`ToolOutcome`]: the response (which, if the call fails, describes the
/// failure for a model), or the questions of the tool.
///
/// ```
/// use genkit::message::ToolRequest;
/// use genkit::{Tool, tool};
/// use serde_json::json;
///
/// /// Deletes a note.
/// #[tool(needs_approval)]
/// async fn delete(id: u64) -> String { format!("{id} is gone") }
///
/// # #[tokio::main(flavor = "current_thread")]
/// # async fn main() -> genkit::Result<()> {
/// let request = ToolRequest::new("delete", json!({"id": 7}));
/// let mut outcome = Tool::of::<delete>().call(&request).await?;
/// while outcome.is_interrupted() {
///     let question = outcome.interrupts(&request).remove(0);
///     assert_eq!(question.message(), Some("Allow `delete` to run with {\"id\":7}?"));
///     outcome = Tool::of::<delete>().call(&request).resume(outcome, |q| q.approve()).await?;
/// }
/// assert_eq!(outcome.into_response()?.output, "7 is gone");
/// # Ok(())
/// # }
/// ```
///
/// # Errors
/// Returns `InvalidArgument` if the request is for another tool, `FailedPrecondition` if state that the tool takes is
/// missing, and any [fatal](crate::Error::is_fatal) error from the tool. All other errors are returned as failures that
/// a model can read.
#[must_use = "a call runs when it is awaited: add `.await`, or `.run()` for a future"]
#[derive(Clone)]
pub struct ToolInvocation(InvocationParts);

/// The parts of a [`ToolInvocation`], for the loop that runs it.
#[derive(Clone)]
pub struct InvocationParts {
    /// `None` means the tool that `request` names, from the registry of the instance.
    pub tool: Option<Tool>,
    pub request: ToolRequest,
    /// The instance that runs the call. `None` means the default instance.
    pub instance: Option<Arc<dyn Any + Send + Sync>>,
    pub states: TypeMap,
    pub values: TypeMap,
    pub timeout: Option<Duration>,
    pub context: Option<Context>,
    pub resumed: Option<Resumption>,
}

/// The interrupted call, and the answers to its questions.
#[derive(Clone)]
pub struct Resumption {
    pub asked: Part,
    pub answers: Vec<Answer>,
}

impl ToolInvocation {
    #[doc(hidden)]
    pub fn new(
        tool: Option<Tool>,
        request: ToolRequest,
        instance: Option<Arc<dyn Any + Send + Sync>>,
    ) -> Self {
        Self(InvocationParts {
            tool,
            request,
            instance,
            states: TypeMap::default(),
            values: TypeMap::default(),
            timeout: None,
            context: None,
            resumed: None,
        })
    }

    #[doc(hidden)]
    pub fn into_parts(self) -> InvocationParts {
        self.0
    }

    /// Adds a state value, which is injected into a parameter of type `&T`.
    pub fn state<T: Send + Sync + 'static>(mut self, value: T) -> Self {
        self.0.states.insert(value);
        self
    }

    /// Adds an extension to this call, which the tool reads with [`Context::extension`](crate::Context::extension).
    pub fn extension<T: Send + Sync + 'static>(mut self, value: T) -> Self {
        self.0.values.insert(value);
        self
    }

    /// Sets the calling context, for a call from inside another function. The tool receives the state, caller and
    /// limits of that function, and the tool's questions become questions of that function.
    pub fn context(mut self, context: &Context) -> Self {
        self.0.context = Some(context.clone());
        self
    }

    /// Sets the timeout of the call, for a tool without a timeout. Default is 60 seconds. Time spent waiting for
    /// answers does not count.
    pub fn timeout(mut self, limit: Duration) -> Self {
        self.0.timeout = Some(limit);
        self
    }

    /// Resumes an interrupted call. `answer` is called for each question of `asked`.
    pub fn resume(self, asked: ToolOutcome, answer: impl FnMut(&Interrupt) -> Answer) -> Self {
        let answers: Vec<Answer> = asked.interrupts(&self.0.request).iter().map(answer).collect();
        self.resume_with_answers(asked, answers)
    }

    /// Resumes an interrupted call with a list of answers.
    pub fn resume_with_answers(
        mut self,
        asked: ToolOutcome,
        answers: impl IntoIterator<Item = Answer>,
    ) -> Self {
        let mut part = Part::tool_request(self.0.request.clone());
        if let Some(suspended) = asked.into_suspended() {
            suspended.write(&mut part);
        }
        self.0.resumed = Some(Resumption { asked: part, answers: answers.into_iter().collect() });
        self
    }

    #[doc(hidden)]
    #[deprecated(note = "renamed to `resume_with_answers`")]
    pub fn resume_with(
        self,
        asked: ToolOutcome,
        answers: impl IntoIterator<Item = Answer>,
    ) -> Self {
        self.resume_with_answers(asked, answers)
    }
}

impl std::fmt::Debug for ToolInvocation {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        f.debug_struct("ToolInvocation").field("request", &self.0.request).finish_non_exhaustive()
    }
}

crate::becomes_a_future!(ToolInvocation, Result<ToolOutcome>);
