//! The builder of a run.

use std::sync::Arc;

use futures_util::FutureExt as _;
use futures_util::future::Shared;
use serde_json::{Map, Value};

use super::extract::OutputType;
use super::middleware::Middleware;
use super::prompt::PromptCall;
use super::run::RunSettings;
use super::stream::GenerateStream;
use crate::instance::Instance;
use genkit_core::BoxFuture;
use genkit_core::Context;
use genkit_core::Part;
use genkit_core::internal::generate::error::Error as E;
use genkit_core::{Document, Tool, ToolChoice};
use genkit_core::{GenerateOptions, IntoMessages, IntoParts};
use genkit_core::{IntoResources, IntoTools, ResourceRef, RetrieverRef, ToolRef};
use genkit_model::{IntoModel, ModelRef};

/// A generate request: a prompt with its model, tools and settings. It runs when it is awaited; see `generate`.
///
/// Awaiting it returns a [`GenerateResponse`](genkit_core::GenerateResponse); [`stream`](Self::stream) returns the chunks
/// first.
///
/// ```
/// use genkit::model::ToolChoice;
/// use genkit::testing::ScriptedModel;
/// use genkit::{Part, Result, tool, tools};
/// use serde_json::json;
/// use std::time::Duration;
///
/// struct User(&'static str);
///
/// /// Adds.
/// #[tool]
/// async fn add(a: i64, b: i64) -> i64 { a + b }
///
/// # #[tokio::main(flavor = "current_thread")]
/// # async fn main() -> Result<()> {
/// let response = genkit::generate(vec![
///         Part::text("What is the sum of these?"),
///         Part::image("image/png", b"..."),
///     ])
///     .system("Answer in one word.")
///     .docs(["Sums are written in Roman numerals here."])
///     .model(ScriptedModel::text("III"))
///     .temperature(0.2)
///     .max_output_tokens(100)
///     .config(json!({"presencePenalty": 0.5})) // a setting without a method
///     .tools(tools![add])
///     .tool_choice(ToolChoice::Auto)
///     .max_turns(3)
///     .extension(User("Ada")) // a tool reads it with `ctx.extension::<User>()`
///     .tool_timeout(Duration::from_secs(5))
///     .deadline(Duration::from_secs(60))
///     .await?;
/// assert_eq!(response.text(), "III");
/// # Ok(())
/// # }
/// ```
///
/// # Errors
/// An error of a run that has started holds the partial response: see [`Error::partial`](genkit_core::Error::partial).
/// The kinds are:
///
/// - `InvalidArgument`: no model or no message is given, two tools have the same name, the model lacks a capability, or
///   the output is still rejected after the last retry.
/// - `NotFound`: a model, tool or resource does not exist.
/// - `FailedPrecondition`: the response was blocked, state is missing, or there is nothing to resume.
/// - `DeadlineExceeded` and `Cancelled`.
/// - `Aborted`: the turn limit was reached, with [`fail_on_max_turns`](Self::fail_on_max_turns).
/// - `ResourceExhausted`: the [`usage_limit`](Self::usage_limit) was exceeded.
/// - Any kind that the model's provider returns.
#[derive(Clone)]
#[must_use = "a run begins when it is awaited: add `.await`, or `.run()` for a future, or `.stream()`"]
pub struct Generate {
    pub(super) genkit: Instance,
    /// The prompt that the run starts with, until it is rendered.
    pub(super) source: Option<PromptCall>,
    /// Boxed, because each builder method moves the run.
    pub(super) options: Box<GenerateOptions>,
    pub(super) model: Option<ModelRef>,
    pub(super) system: Vec<Part>,
    pub(super) prompt: Vec<Part>,
    pub(super) tools: Vec<ToolRef>,
    pub(super) resources: Vec<ResourceRef>,
    /// The retrievers, each with the maximum number of documents to retrieve.
    pub(super) retrievers: Vec<(RetrieverRef, usize)>,
    pub(super) settings: RunSettings,
    /// Cancels the run and all its clones when it resolves.
    pub(super) cancel: Option<Shared<BoxFuture<'static, ()>>>,
    /// A builder method cannot return an error, so the run returns it.
    pub(super) config_error: Option<E>,
}

impl Instance {
    #[doc(hidden)]
    pub fn generate(&self, prompt: impl IntoParts) -> Generate {
        self.generate_with(GenerateOptions::default()).prompt(prompt)
    }

    #[doc(hidden)]
    pub fn generate_with(&self, options: GenerateOptions) -> Generate {
        Generate {
            genkit: self.clone(),
            source: None,
            model: options.model.as_deref().map(ModelRef::from),
            system: Vec::new(),
            prompt: Vec::new(),
            tools: options.tools.iter().map(|name| name.as_str().into()).collect(),
            resources: Vec::new(),
            retrievers: Vec::new(),
            options: Box::new(options),
            settings: RunSettings {
                middleware: self.runs.middleware.clone(),
                trace_contents: self.runs.trace_contents,
                action_context: Context::running().map_or_else(Arc::default, |running| {
                    Arc::clone(running.shared_action_context())
                }),
                ..RunSettings::default()
            },
            cancel: None,
            config_error: None,
        }
    }
}

impl Generate {
    /// Sets the prompt: the user message that follows the [`messages`](Self::messages).
    pub fn prompt(mut self, prompt: impl IntoParts) -> Self {
        self.prompt = prompt.into_parts();
        self
    }

    /// Sets the system message: the instructions that precede the conversation. It replaces the system message in
    /// [`messages`](Self::messages).
    pub fn system(mut self, text: impl IntoParts) -> Self {
        self.system = text.into_parts();
        self
    }

    /// Sets the history: the conversation so far. Accepts a [`GenerateResponse`](genkit_core::GenerateResponse), a rendered
    /// prompt, or a list of [`Message`](genkit_core::Message)s.
    pub fn messages(mut self, messages: impl IntoMessages) -> Self {
        self.options.messages = messages.into_messages();
        self
    }

    /// Adds documents as context for the model.
    pub fn docs<D: Into<Document>>(mut self, docs: impl IntoIterator<Item = D>) -> Self {
        self.options.docs.extend(docs.into_iter().map(Into::into));
        self
    }

    /// Adds documents as context for the model: up to `k` documents that a retriever finds for the last user message.
    /// Accepts a retriever, or the name of a retriever in the registry.
    ///
    /// ```
    /// use genkit::model::{Document, from_fn};
    /// use genkit::retriever;
    ///
    /// /// Searches the opening hours.
    /// #[retriever]
    /// async fn opening_hours(query: Document, k: usize) -> Vec<Document> {
    ///     let lines = ["We open at nine.", "We close at six."];
    ///     let found = lines.into_iter().filter(|line| query.text().contains(&line[3..7]));
    ///     found.take(k).map(Document::from).collect()
    /// }
    ///
    /// # #[tokio::main(flavor = "current_thread")]
    /// # async fn main() -> genkit::Result<()> {
    /// let model = from_fn("fake", |request, _| async move { format!("{} found", request.docs.len()) });
    /// let response = genkit::generate("When do you open?").retriever("opening_hours", 1).model(model).await?;
    /// assert_eq!(response.text(), "1 found");
    /// # Ok(())
    /// # }
    /// ```
    ///
    /// # Errors
    /// The run fails with `NotFound` if the registry has no such retriever, and with the error of the retriever.
    pub fn retriever(mut self, retriever: impl Into<RetrieverRef>, k: usize) -> Self {
        self.retrievers.push((retriever.into(), k));
        self
    }

    /// Sets the model, by its name (`"gemini/gemini-2.5-flash"`) or as a value. Default is the default model of the
    /// `Genkit`, or the model in the environment variable `GENKIT_MODEL`.
    pub fn model(mut self, model: impl IntoModel) -> Self {
        self.model = Some(model.into_model());
        self
    }

    /// Adds tools that the model may call: `tools![..]`, values, names, patterns or tags; see [`ToolRef`].
    pub fn tools(mut self, tools: impl IntoTools) -> Self {
        self.tools.extend(tools.into_tools());
        self
    }

    /// Returns the fixed tools of the run: neither its live tools nor the tools of its middleware.
    #[doc(hidden)]
    pub fn known_tools(&self) -> Vec<Tool> {
        let fixed = self.tools.iter().filter(|reference| !reference.is_live());
        let registry = self.genkit.registry();
        // The lookup of a fixed tool completes on the first poll.
        let found = fixed.filter_map(|it| it.find_tools(registry).now_or_never()?.ok());
        found.flatten().collect()
    }

    /// Starts the run and returns a stream of its chunks.
    pub fn stream(self) -> GenerateStream<'static> {
        GenerateStream::new(self.output_format(), |chunks| self.begin_run(chunks))
    }

    /// Sets the tool choice: whether the model may, must or must not call tools, or [which tool](ToolChoice::Tool) it
    /// must call. A choice that forces a call becomes `Auto` after the first round, since the model could otherwise
    /// never send a final response. With [`stop_on_tool`](Self::stop_on_tool), `Required` is kept.
    pub fn tool_choice(mut self, choice: ToolChoice) -> Self {
        self.options.tool_choice = Some(choice);
        self
    }

    // Not in `output.rs` with the other output options, because compiler messages name a method by the module of its
    // `impl`.
    /// Requests structured output of type `T`; [`GenerateResponse::output`](genkit_core::GenerateResponse::output) reads it.
    pub fn output<T: OutputType>(self) -> Self {
        self.output_schema(genkit_schema::internal::input_schema::<T>())
    }

    /// Sets the turn limit: the maximum number of rounds of tool calls. Default is 5. If the model requests more, the
    /// run ends with the response so far and the finish reason
    /// [`FinishReason::Aborted`](genkit_core::FinishReason::Aborted).
    pub fn max_turns(mut self, rounds: usize) -> Self {
        self.options.max_turns = Some(rounds);
        self
    }

    /// Sets whether the run fails when it reaches [`max_turns`](Self::max_turns). The error holds the partial response.
    /// Default is `false`.
    pub fn fail_on_max_turns(mut self, yes: bool) -> Self {
        self.settings.fail_on_max_turns = yes;
        self
    }

    /// Sets whether tool requests are returned to the caller instead of being run. The first response with tool
    /// requests then ends the run.
    ///
    /// ```
    /// use genkit::model::ModelResponse;
    /// use genkit::testing::ScriptedModel;
    /// use genkit::message::ToolRequest;
    /// use genkit::{Part, tool, tools};
    ///
    /// /// Returns the weather.
    /// #[tool]
    /// async fn weather(city: String) -> String { format!("sunny in {city}") }
    ///
    /// # #[tokio::main(flavor = "current_thread")]
    /// # async fn main() -> genkit::Result<()> {
    /// let model = ScriptedModel::new([
    ///     ModelResponse::from_tool_requests([ToolRequest::new("weather", serde_json::json!({"city": "Rome"}))]),
    ///     ModelResponse::from_text("It is sunny."),
    /// ]);
    /// let ask = || genkit::generate(()).model(model.clone()).tools(tools![weather]).return_tool_requests(true);
    /// let mut response = ask().prompt("Weather in Rome?").await?;
    /// while !response.tool_requests().is_empty() {
    ///     let mut answers: Vec<Part> = Vec::new();
    ///     for request in response.tool_requests() {
    ///         let city = request.input["city"].as_str().unwrap_or_default().to_owned();
    ///         answers.push(request.respond(weather(city).await).into());
    ///     }
    ///     // Tool responses automatically become a message with the role `tool`.
    ///     response = ask().messages(response.messages()).prompt(answers).await?;
    /// }
    /// assert_eq!(response.text(), "It is sunny.");
    /// # Ok(())
    /// # }
    /// ```
    pub fn return_tool_requests(mut self, yes: bool) -> Self {
        self.options.return_tool_requests = Some(yes);
        self
    }

    /// Adds resources that messages may refer to, in addition to the resources of the registry. Each
    /// [`Part::resource_link`] is replaced with the content of the resource.
    pub fn resources(mut self, resources: impl IntoResources) -> Self {
        self.resources.extend(resources.into_resources());
        self
    }

    /// Injects `value` as state into every tool of this run that takes `&T`, instead of the state of the `Genkit`.
    /// If a tool's state is missing, the run fails before the first model call.
    ///
    /// ```
    /// use genkit::testing::ScriptedModel;
    /// use genkit::{ErrorKind, Result, tool, tools};
    ///
    /// struct Prices { apple: u32 }
    ///
    /// /// Returns the price of `n` apples.
    /// #[tool]
    /// async fn cost(prices: &Prices, n: u32) -> u32 { prices.apple * n }
    ///
    /// # #[tokio::main(flavor = "current_thread")]
    /// # async fn main() -> Result<()> {
    /// let ask = genkit::generate("2 apples?").model(ScriptedModel::text("6")).tools(tools![cost]);
    /// let error = ask.clone().await.unwrap_err();
    /// assert_eq!(error.kind(), ErrorKind::FailedPrecondition); // the state `Prices` is missing
    /// assert_eq!(ask.state(Prices { apple: 3 }).await?.text(), "6");
    /// # Ok(())
    /// # }
    /// ```
    pub fn state<T: Send + Sync + 'static>(mut self, value: T) -> Self {
        self.genkit.states.insert(value);
        self.settings.has_own_state = true;
        self
    }

    /// Sets the action context: a map that tools read with
    /// [`Context::action_context`](genkit_core::Context::action_context) and templates read as `@key`. It can hold the
    /// signed-in user, for example. Default is the action context of the function that creates the run.
    pub fn action_context(mut self, context: Map<String, Value>) -> Self {
        self.settings.action_context = Arc::new(context);
        self
    }

    /// Sets the client whose share of the program's resources the run uses.
    #[doc(hidden)]
    pub fn client_share(mut self, client: u64) -> Self {
        self.settings.client = Some(client);
        self
    }

    /// Adds an extension: a value that the tools of this run read with
    /// [`Context::extension`](genkit_core::Context::extension).
    pub fn extension<T: Send + Sync + 'static>(mut self, value: T) -> Self {
        self.settings.values.insert(value);
        self
    }

    /// Adds middleware: code around the run, its model calls and its tool calls. It runs inside the middleware of the
    /// `Genkit`.
    pub fn middleware(mut self, middleware: impl Middleware) -> Self {
        self.settings.middleware.push(Arc::new(middleware));
        self
    }

    /// Sets whether traces record contents, such as messages and arguments. Default is `false`: only names, numbers and
    /// times are recorded.
    pub fn trace_contents(mut self, yes: bool) -> Self {
        self.settings.trace_contents = yes;
        self
    }
}

impl std::fmt::Debug for Generate {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        f.debug_struct("Generate")
            .field("model", &self.model)
            .field("messages", &self.options.messages.len())
            .field("tools", &self.tools.len())
            .finish_non_exhaustive()
    }
}

// Declared after the methods above, because rustdoc lists methods in the order of their declaration.
mod output;
mod settings;

mod limits;
