//! The builder of a run: what it is asked to do.

mod limits;
mod output;
mod settings;

use std::sync::Arc;

use futures_util::future::Shared;
use schemars::JsonSchema;
use serde_json::{Map, Value};

use super::middleware::Middleware;
use super::prompt::GivenPrompt;
use super::run::RunSettings;
use crate::instance::Instance;
use genkit_core::BoxFuture;
use genkit_core::Part;
use genkit_core::internal::generate::error::Error as E;
use genkit_core::{Document, ToolChoice};
use genkit_core::{GenerateOptions, IntoMessages, IntoParts};
use genkit_core::{IntoResources, IntoTools, ResourceRef, ToolRef};
use genkit_model::{IntoModel, ModelRef};

/// Generate request: a prompt with its model, tools and settings, run by awaiting it; see
/// `generate`.
///
/// Awaiting it gives a [`GenerateResponse`](genkit_core::GenerateResponse); [`stream`](Self::stream)
/// gives chunks first.
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
///     .config(json!({"presencePenalty": 0.5})) // what has no method of its own
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
/// Every error of a run owns what was done before it: see
/// [`Error::partial`](genkit_core::Error::partial). The kinds: `InvalidArgument` (no model or message is
/// given, two tools have one name, the model lacks a capability), `NotFound` (a model, a tool or a
/// resource that there is not), `FailedPrecondition` (the answer was blocked, state is missing,
/// nothing to resume), `DeadlineExceeded`, `Cancelled`, `Aborted` (the limit on turns, where it is
/// [`fail_on_max_turns`](Self::fail_on_max_turns)), `ResourceExhausted` (the
/// [`usage_limit`](Self::usage_limit)), and what the model's provider fails with.
#[derive(Clone)]
#[must_use = "a run begins when it is awaited: add `.await`, or `.run()` for a future, or `.stream()`"]
pub struct Generate {
    pub(super) genkit: Instance,
    /// The prompt that it begins with, while that is not rendered.
    pub(super) source: Option<GivenPrompt>,
    /// Boxed, since a run is moved by each method that says more of it.
    pub(super) options: Box<GenerateOptions>,
    pub(super) model: Option<ModelRef>,
    pub(super) system: Vec<Part>,
    pub(super) prompt: Vec<Part>,
    pub(super) tools: Vec<ToolRef>,
    pub(super) resources: Vec<ResourceRef>,
    pub(super) settings: RunSettings,
    /// A future that ends the run, and every clone of it.
    pub(super) cancel: Option<Shared<BoxFuture<'static, ()>>>,
    /// A builder cannot fail: the run does, and says why.
    pub(super) config_error: Option<E>,
}

impl Instance {
    pub fn generate(&self, prompt: impl IntoParts) -> Generate {
        self.generate_with(GenerateOptions::default()).prompt(prompt)
    }

    pub fn generate_with(&self, options: GenerateOptions) -> Generate {
        Generate {
            genkit: self.clone(),
            source: None,
            model: options.model.as_deref().map(ModelRef::from),
            system: Vec::new(),
            prompt: Vec::new(),
            tools: options.tools.iter().map(|name| name.as_str().into()).collect(),
            resources: Vec::new(),
            options: Box::new(options),
            settings: RunSettings {
                middleware: self.runs.middleware.clone(),
                trace_contents: self.runs.trace_contents,
                ..RunSettings::default()
            },
            cancel: None,
            config_error: None,
        }
    }
}

impl Generate {
    /// Prompt: what the user says now, after the [`messages`](Self::messages).
    pub fn prompt(mut self, prompt: impl IntoParts) -> Self {
        self.prompt = prompt.into_parts();
        self
    }

    /// System message: instructions above the conversation. They replace those that
    /// [`messages`](Self::messages) begin with.
    pub fn system(mut self, text: impl IntoParts) -> Self {
        self.system = text.into_parts();
        self
    }

    /// History: the conversation so far, for example a [`GenerateResponse`](genkit_core::GenerateResponse), a
    /// rendered prompt, or a list of [`Message`](genkit_core::Message)s.
    pub fn messages(mut self, messages: impl IntoMessages) -> Self {
        self.options.messages = messages.into_messages();
        self
    }

    /// Documents: context to answer from.
    pub fn docs<D: Into<Document>>(mut self, docs: impl IntoIterator<Item = D>) -> Self {
        self.options.docs.extend(docs.into_iter().map(Into::into));
        self
    }

    /// Model, by its name (`"gemini/gemini-2.5-flash"`) or as a value. Default is that of the
    /// [`Genkit`], then the environment variable `GENKIT_MODEL`.
    pub fn model(mut self, model: impl IntoModel) -> Self {
        self.model = Some(model.into_model());
        self
    }

    /// Tools that the model may ask for: `tools![..]`, values, names, patterns, tags; see
    /// [`ToolRef`]. Called again, these are added.
    pub fn tools(mut self, tools: impl IntoTools) -> Self {
        self.tools.extend(tools.into_tools());
        self
    }

    /// Tool choice: whether the model may, must or must not ask for tools, or
    /// [which one](ToolChoice::Tool) it must ask for. After it has, a choice that forces it is `Auto`: else
    /// it could never answer.
    pub fn tool_choice(mut self, choice: ToolChoice) -> Self {
        self.options.tool_choice = Some(choice);
        self
    }

    // Not with the other options of output: compilers name a method by the module of its `impl`.
    /// Structured output: asks for a `T`, which is read with [`GenerateResponse::output`](genkit_core::GenerateResponse::output).
    pub fn output<T: JsonSchema>(self) -> Self {
        self.output_schema(genkit_schema::internal::input_of::<T>())
    }

    /// Turn limit: how many rounds of tool calls there may be. Default is 5. When the model asks
    /// for more, the run ends with what there is, as
    /// [`FinishReason::Aborted`](genkit_core::FinishReason::Aborted).
    pub fn max_turns(mut self, rounds: usize) -> Self {
        self.options.max_turns = Some(rounds);
        self
    }

    /// Failing at the turn limit: whether reaching [`max_turns`](Self::max_turns) is an error, which
    /// owns the response. Default is `false`.
    pub fn fail_on_max_turns(mut self, yes: bool) -> Self {
        self.settings.fail_on_max_turns = yes;
        self
    }

    /// Tool requests to the caller: leaves the tools to it, so that the first answer that asks for
    /// tools is the response.
    ///
    /// ```
    /// use genkit::model::ModelResponse;
    /// use genkit::testing::ScriptedModel;
    /// use genkit::message::ToolRequest;
    /// use genkit::{Part, tool, tools};
    ///
    /// /// Tells the weather.
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
    ///     // Answers of tools are a message of the role `tool`, without saying so.
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

    /// Resources that messages may name, besides those of the registry. A part
    /// [`Part::resource_link`] is replaced by what the resource holds.
    pub fn resources(mut self, resources: impl IntoResources) -> Self {
        self.resources.extend(resources.into_resources());
        self
    }

    /// State: injects `value` into every tool of this run that takes `&T`, over that of the
    /// [`Genkit`]. A tool whose state nobody gave is an error before the model is asked.
    ///
    /// ```
    /// use genkit::testing::ScriptedModel;
    /// use genkit::{ErrorKind, Result, tool, tools};
    ///
    /// struct Prices { apple: u32 }
    ///
    /// /// What `n` apples cost.
    /// #[tool]
    /// async fn cost(prices: &Prices, n: u32) -> u32 { prices.apple * n }
    ///
    /// # #[tokio::main(flavor = "current_thread")]
    /// # async fn main() -> Result<()> {
    /// let ask = genkit::generate("2 apples?").model(ScriptedModel::text("6")).tools(tools![cost]);
    /// let error = ask.clone().await.unwrap_err();
    /// assert_eq!(error.kind(), ErrorKind::FailedPrecondition); // nobody gave `Prices`
    /// assert_eq!(ask.state(Prices { apple: 3 }).await?.text(), "6");
    /// # Ok(())
    /// # }
    /// ```
    pub fn state<T: Send + Sync + 'static>(mut self, value: T) -> Self {
        self.genkit.states.insert(value);
        self.settings.has_own_state = true;
        self
    }

    /// Action context: a map that the tools of this run read with
    /// [`Context::action_context`](genkit_core::Context::action_context), and templates as `@key`: who is
    /// signed in, for example.
    pub fn action_context(mut self, context: Map<String, Value>) -> Self {
        self.settings.action_context = Arc::new(context);
        self
    }

    /// Extension: gives a value to the tools of this run:
    /// [`Context::extension`](genkit_core::Context::extension).
    pub fn extension<T: Send + Sync + 'static>(mut self, value: T) -> Self {
        self.settings.values.insert(value);
        self
    }

    /// Middleware: code around the run, its model calls and its tool calls; inside of the program's
    /// own.
    pub fn middleware(mut self, middleware: impl Middleware) -> Self {
        self.settings.middleware.push(Arc::new(middleware));
        self
    }

    /// Tracing of contents: records messages and arguments too. Default is names, numbers and times
    /// only.
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
