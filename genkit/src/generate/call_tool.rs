//! Calling one tool by hand, as the loop would.

use std::future::IntoFuture;

use super::builder::Generate;
use super::data::GenerateOptions;
use super::error::Error as E;
use super::interrupt::{Answer, Interrupt, Resume, Suspended, resume};
use super::middleware::ToolOutcome;
use super::prepare::prepare_tools;
use super::run::call_inside;
use super::tools::ToolRef;
use crate::action::Tool;
use crate::context::{Context, ContextParts};
use crate::error::Result;
use crate::future::BoxFuture;
use crate::instance::Genkit;
use crate::message::{Message, Part, ToolRequest};
use crate::model::ModelRequest;
use crate::registry::verify_tool;

impl Tool {
    /// Calls the tool by hand, as the loop of [`generate`](crate::generate()) would: with its
    /// arguments checked, its limits, and a failure as a model reads it. Whatever made the tool:
    /// `#[tool]`, [`Tool::builder`], an MCP server, a middleware.
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
    /// let weather = Tool::builder("weather", "Tells the weather.")
    ///     .handler(|_: Context, city: City| async move { Ok(format!("sunny in {}", city.name)) });
    ///
    /// let request = ToolRequest::new("weather", json!({"name": "Rome"}));
    /// let response = weather.call(&request).await?.into_response()?;
    /// assert_eq!(response.output, "sunny in Rome"); // a `Part` of it goes into a prompt
    ///
    /// let wrong = ToolRequest::new("weather", json!({"town": "Rome"}));
    /// let told = weather.call(&wrong).await?.into_response()?;
    /// assert!(told.error().unwrap().starts_with("Invalid arguments for `weather`"));
    /// # Ok(())
    /// # }
    /// ```
    ///
    /// All calls of a response are run by
    /// [`GenerateResponse::run_tools`](crate::GenerateResponse::run_tools), side by side.
    pub fn call(&self, request: &ToolRequest) -> ToolInvocation {
        Genkit::default().invocation(Some(self), request)
    }
}

impl Genkit {
    /// Calls a tool of the registry by hand, by the name in `request`: with the state and the
    /// middleware of this program. Else as [`Tool::call`]; a tool that there is not is a failure that
    /// a model reads.
    ///
    /// ```
    /// use genkit::message::ToolRequest;
    /// use genkit::{Genkit, Registry, tool, tools};
    /// use serde_json::json;
    ///
    /// struct Prices { apple: u32 }
    ///
    /// /// What `n` apples cost.
    /// #[tool]
    /// async fn cost(prices: &Prices, n: u32) -> u32 { prices.apple * n }
    ///
    /// # #[tokio::main(flavor = "current_thread")]
    /// # async fn main() -> genkit::Result<()> {
    /// let registry = Registry::new().add(tools![cost]);
    /// let shop = Genkit::builder().registry(registry).state(Prices { apple: 3 }).build()?;
    /// let outcome = shop.call_tool(&ToolRequest::new("cost", json!({"n": 2}))).await?;
    /// assert_eq!(outcome.into_response()?.output, 6);
    /// # Ok(())
    /// # }
    /// ```
    pub fn call_tool(&self, request: &ToolRequest) -> ToolInvocation {
        self.invocation(None, request)
    }

    fn invocation(&self, tool: Option<&Tool>, request: &ToolRequest) -> ToolInvocation {
        ToolInvocation {
            tool: tool.cloned(),
            request: request.clone(),
            run: self.generate_with(GenerateOptions::default()),
            context: None,
            resumed: None,
        }
    }
}

/// Tool invocation: a call of a tool by hand, about to run: see [`Tool::call`].
///
/// Awaiting it gives a [`ToolOutcome`]: the answer, with a failure as a model reads it, or what the
/// tool asks.
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
/// `InvalidArgument` where the request is for another tool, `FailedPrecondition` where nobody gave
/// state that the tool takes, and an error of the tool that is [fatal](crate::Error::is_fatal). All
/// others are failures that a model reads.
#[must_use = "a call runs when it is awaited: add `.await`, or `.run()` for a future"]
#[derive(Clone, Debug)]
pub struct ToolInvocation {
    /// `None` is the one of the registry.
    tool: Option<Tool>,
    request: ToolRequest,
    /// What the call runs with.
    run: Generate,
    context: Option<Context>,
    resumed: Option<Resumption>,
}

/// What a call asked, and the answers.
#[derive(Clone, Debug)]
struct Resumption {
    asked: Part,
    answers: Vec<Answer>,
}

impl ToolInvocation {
    /// State: injects `value` where the tool takes `&T`.
    pub fn state<T: Send + Sync + 'static>(mut self, value: T) -> Self {
        self.run = self.run.state(value);
        self
    }

    /// Extension: a value of this call, which the tool reads with
    /// [`Context::extension`](crate::Context::extension).
    pub fn extension<T: Send + Sync + 'static>(mut self, value: T) -> Self {
        self.run = self.run.extension(value);
        self
    }

    /// Calling context: calls the tool from inside of another function, with its state, its caller
    /// and its limits, so that a question of the tool is a question of that function.
    pub fn context(mut self, context: &Context) -> Self {
        self.context = Some(context.clone());
        self
    }

    /// Timeout: the time limit of the call, where the tool has none of its own. Default is 60
    /// seconds; asking does not count.
    pub fn timeout(mut self, limit: std::time::Duration) -> Self {
        self.run = self.run.tool_timeout(limit);
        self
    }

    /// Resumes a call that asked: `answer` is asked for each question of `asked`.
    pub fn resume(self, asked: ToolOutcome, answer: impl FnMut(&Interrupt) -> Answer) -> Self {
        let answers: Vec<Answer> = asked.interrupts(&self.request).iter().map(answer).collect();
        self.resume_with(asked, answers)
    }

    /// Resumes a call that asked, with answers that are there already.
    pub fn resume_with(
        mut self,
        asked: ToolOutcome,
        answers: impl IntoIterator<Item = Answer>,
    ) -> Self {
        let mut part = Part::tool_request(self.request.clone());
        if let Some(suspended) = asked.into_suspended() {
            suspended.write(&mut part);
        }
        self.resumed = Some(Resumption { asked: part, answers: answers.into_iter().collect() });
        self
    }

    /// Runs it: what `.await` does, as a plain future for `tokio::spawn` and `join_all`.
    ///
    /// # Errors
    /// As [`ToolInvocation`] says.
    pub async fn run(self) -> Result<ToolOutcome> {
        let Self { tool, request, mut run, context, resumed } = self;
        let tool = tool.or_else(|| run.genkit.registry.tool(&request.name));
        if let Some(tool) = &tool
            && !is_named(tool, &request.name)
        {
            let (called, tool) = (request.name, tool.name().to_owned());
            return Err(E::OtherTool { called, tool }.into());
        }
        if let (Some(context), Some(tool)) = (&context, &tool) {
            let (states, values) = (run.genkit.states.clone(), run.settings.values.clone());
            let given = ContextParts { states, values, ..ContextParts::default() };
            let context = context.nested(given);
            verify_tool(tool, context.states())?;
            return call_inside(&context, tool, request, &run.settings).await;
        }
        run.tools = match tool {
            Some(tool) => vec![tool.into()],
            // What the model is told names those that there are.
            None => run.genkit.registry.tools().into_iter().map(ToolRef::from).collect(),
        };
        let (message, resumed) = match resumed {
            None => (Message::model(Part::tool_request(request)), None),
            Some(Resumption { asked, answers }) => {
                let mut messages = vec![Message::model(asked)];
                let mut given = Resume::default();
                for answer in answers {
                    given.push(answer)?;
                }
                let resumed = resume(&mut messages, &given)?;
                (resumed.message.clone(), Some(resumed))
            }
        };
        let ran = prepare_tools(run).await?;
        let response = ran.run_tools(ModelRequest::default(), message, resumed).await?;
        let part = response.message.and_then(|message| message.content.into_iter().next());
        if let Some(Part::ToolResponse { tool_response, metadata }) = part {
            return Ok(ToolOutcome::answered(tool_response, metadata));
        }
        let suspended = part.map(|part| Suspended::read(part.metadata())).transpose()?.flatten();
        Ok(ToolOutcome::suspended(suspended.ok_or(E::PartialCall)?))
    }
}

/// Whether a model that says `name` means the tool.
fn is_named(tool: &Tool, name: &str) -> bool {
    let short = tool.name().rsplit_once('/').map(|(_, short)| short);
    tool.name() == name || short == Some(name)
}

crate::future::becomes_a_future!(ToolInvocation, Result<ToolOutcome>);

impl IntoFuture for ToolInvocation {
    type Output = Result<ToolOutcome>;
    type IntoFuture = BoxFuture<'static, Result<ToolOutcome>>;

    fn into_future(self) -> Self::IntoFuture {
        Box::pin(self.run())
    }
}
