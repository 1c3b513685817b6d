//! The Genkit instance: a registry with its state and models, on which the free functions act.

use std::ops::Deref;

use genkit_core::Result;
#[cfg(any(feature = "flows", feature = "mcp-server", not(feature = "generate")))]
use genkit_core::internal::BoundRegistry;
use serde::Serialize;
use serde_json::Value;

use crate::action::{PromptReply, ResourceContents};
#[cfg(feature = "durable")]
use crate::durable::{DurableFlow, DurableRun, RunStore, Worker};
#[cfg(feature = "flows")]
use crate::flows;
#[cfg(feature = "generate")]
use crate::generate::{
    Answer, Generate, GenerateOptions, GenerateResponse, Interrupt, IntoParts, PromptRef,
    ToolInvocation,
};
#[cfg(feature = "mcp-server")]
use crate::mcp;
#[cfg(feature = "generate")]
use crate::message::ToolRequest;
#[cfg(feature = "generate")]
use crate::middleware::Middleware;
#[cfg(feature = "generate")]
use crate::model::{Embed, Embedder, EmbedderRef, IntoModel, Model, Provider};
#[cfg(feature = "dotprompt")]
use crate::template::TemplateCall;
use crate::{IntoActions, Registry};

#[cfg(feature = "generate")]
type Inner = genkit_agent::Instance;
#[cfg(not(feature = "generate"))]
type Inner = BoundRegistry;

#[cfg(feature = "generate")]
type InnerBuilder = genkit_agent::InstanceBuilder;
#[cfg(not(feature = "generate"))]
type InnerBuilder = genkit_core::internal::BoundRegistryBuilder;

/// A Genkit instance: a registry, and the state that is injected into its functions.
///
/// The free functions ([`run_flow`](crate::run_flow), `serve_mcp`) use the default instance, which has every annotated
/// function of the program and no state. Create your own instance for state, for tests, or for several tenants in one
/// process.
///
/// ```
/// use genkit::{Genkit, Registry, flow, flows};
/// use serde_json::json;
///
/// struct Prices { apple: u32 }
///
/// /// Returns the price of `n` apples.
/// #[flow]
/// async fn cost(prices: &Prices, n: u32) -> u32 {
///     prices.apple * n
/// }
///
/// # #[tokio::main(flavor = "current_thread")]
/// # async fn main() -> genkit::Result<()> {
/// let shop = Genkit::builder()
///     .registry(Registry::new().add(flows![cost]))
///     .state(Prices { apple: 3 })
///     .build()?;
/// assert_eq!(shop.run_flow("cost", json!({"n": 2})).await?, json!(6));
/// # Ok(())
/// # }
/// ```
#[derive(Clone, Default)]
pub struct Genkit(Inner);

impl Genkit {
    /// Creates a builder. It uses the program's registry unless you set another one.
    pub fn builder() -> GenkitBuilder {
        GenkitBuilder(InnerBuilder::default())
    }

    /// Returns the registry of the instance.
    pub fn registry(&self) -> &Registry {
        &self.0.registry
    }

    /// Runs a flow by name, with JSON input and output.
    ///
    /// ```
    /// use genkit::{ErrorKind, Genkit, Registry, flow, flows};
    /// use serde_json::json;
    ///
    /// /// Doubles a number.
    /// #[flow]
    /// async fn double(n: i64) -> i64 { n * 2 }
    ///
    /// # #[tokio::main(flavor = "current_thread")]
    /// # async fn main() -> genkit::Result<()> {
    /// let genkit = Genkit::builder().registry(Registry::new().add(flows![double])).build()?;
    /// assert_eq!(genkit.run_flow("double", json!({"n": 21})).await?, 42);
    /// let error = genkit.run_flow("dubble", json!({"n": 21})).await.unwrap_err();
    /// assert_eq!(error.kind(), ErrorKind::NotFound);
    /// # Ok(())
    /// # }
    /// ```
    ///
    /// # Errors
    /// [`ErrorKind::NotFound`](crate::ErrorKind::NotFound) if the flow does not exist,
    /// [`ErrorKind::InvalidArgument`](crate::ErrorKind::InvalidArgument) if `input` does not match its schema, and any
    /// error of the flow.
    pub async fn run_flow(&self, name: &str, input: impl Serialize) -> Result<Value> {
        self.0.run_flow(name, input).await
    }

    /// Runs a flow by name and streams it: each chunk that the flow sends is passed to `on_chunk` immediately.
    ///
    /// ```
    /// use genkit::{Chunks, Genkit, Registry, Result, flow, flows};
    /// use serde_json::json;
    /// use std::sync::{Arc, Mutex};
    ///
    /// /// Counts.
    /// #[flow]
    /// async fn count(chunks: &Chunks<u32>, to: u32) -> Result<u32> {
    ///     for i in 1..=to { chunks.send(i).await?; }
    ///     Ok(to)
    /// }
    ///
    /// # #[tokio::main(flavor = "current_thread")]
    /// # async fn main() -> genkit::Result<()> {
    /// let seen = Arc::new(Mutex::new(Vec::new()));
    /// let sink = Arc::clone(&seen);
    /// let stream = move |chunk| sink.lock().unwrap().push(chunk);
    /// let genkit = Genkit::builder().registry(Registry::new().add(flows![count])).build()?;
    /// genkit.stream_flow("count", json!({"to": 2}), stream).await?;
    /// assert_eq!(*seen.lock().unwrap(), [json!(1), json!(2)]);
    /// # Ok(())
    /// # }
    /// ```
    ///
    /// # Errors
    /// The errors of [`run_flow`](Self::run_flow).
    pub async fn stream_flow(
        &self,
        name: &str,
        input: impl Serialize,
        on_chunk: impl Fn(Value) + Send + Sync + 'static,
    ) -> Result<Value> {
        self.0.stream_flow(name, input, on_chunk).await
    }

    /// Renders a prompt of the registry by name. Pass its messages to
    /// [`Generate::messages`](crate::Generate::messages).
    ///
    /// ```
    /// use genkit::{Genkit, Registry, prompt, prompts};
    /// use serde_json::json;
    ///
    /// /// Requests a haiku.
    /// #[prompt]
    /// async fn haiku(topic: String) -> String {
    ///     format!("Write a haiku about {topic}.")
    /// }
    ///
    /// # #[tokio::main(flavor = "current_thread")]
    /// # async fn main() -> genkit::Result<()> {
    /// let genkit = Genkit::builder().registry(Registry::new().add(prompts![haiku])).build()?;
    /// let reply = genkit.render_prompt("haiku", json!({"topic": "rain"})).await?;
    /// assert_eq!(reply.messages()[0].text(), "Write a haiku about rain.");
    /// # Ok(())
    /// # }
    /// ```
    ///
    /// # Errors
    /// [`ErrorKind::NotFound`](crate::ErrorKind::NotFound) if the prompt does not exist; otherwise the errors of
    /// [`Prompt::render`](crate::Prompt::render).
    pub async fn render_prompt(
        &self,
        name: &str,
        arguments: impl Serialize,
    ) -> Result<PromptReply> {
        self.0.render_prompt(name, arguments).await
    }

    /// Reads a resource of the registry: the one whose URI or template matches `uri` best.
    ///
    /// ```
    /// use genkit::{Genkit, Registry, resource, resources};
    ///
    /// /// A note, by number.
    /// #[resource("note://{id}")]
    /// async fn note(id: u64) -> String {
    ///     format!("note {id}")
    /// }
    ///
    /// # #[tokio::main(flavor = "current_thread")]
    /// # async fn main() -> genkit::Result<()> {
    /// let genkit = Genkit::builder().registry(Registry::new().add(resources![note])).build()?;
    /// assert_eq!(genkit.read_resource("note://7").await?[0].as_text(), Some("note 7"));
    /// # Ok(())
    /// # }
    /// ```
    ///
    /// # Errors
    /// [`ErrorKind::NotFound`](crate::ErrorKind::NotFound) if no resource matches; otherwise the errors of
    /// [`Resource::read`](crate::Resource::read).
    pub async fn read_resource(&self, uri: &str) -> Result<Vec<ResourceContents>> {
        self.0.read_resource(uri).await
    }
}

#[cfg(feature = "generate")]
impl Genkit {
    /// Calls a language model: see [`generate`](crate::generate()).
    ///
    /// ```
    /// use genkit::{Genkit, Registry, testing::ScriptedModel};
    ///
    /// # #[tokio::main(flavor = "current_thread")]
    /// # async fn main() -> genkit::Result<()> {
    /// let genkit = Genkit::builder().registry(Registry::new()).default_model(ScriptedModel::text("hello")).build()?;
    /// assert_eq!(genkit.generate("hi").await?.text(), "hello");
    /// # Ok(())
    /// # }
    /// ```
    pub fn generate(&self, prompt: impl IntoParts) -> Generate {
        self.0.generate(prompt)
    }

    /// Calls a language model with options as plain data, as Genkit's tools send them to `/util/generate`.
    pub fn generate_with(&self, options: GenerateOptions) -> Generate {
        self.0.generate_with(options)
    }

    /// Starts a run from a prompt: see [`prompt`](crate::prompt()).
    ///
    /// ```
    /// use genkit::{Context, Genkit, Prompt, Registry, testing::ScriptedModel};
    /// use serde_json::{Map, Value, json};
    ///
    /// # #[tokio::main(flavor = "current_thread")]
    /// # async fn main() -> genkit::Result<()> {
    /// let poem = Prompt::builder("poem", "Requests a poem.")
    ///     .argument("topic", "What it is about.")
    ///     .model("house/poet")
    ///     .handler(|_: Context, input: Map<String, Value>| async move {
    ///         Ok(format!("A poem about {}, please.", input["topic"].as_str().unwrap_or_default()))
    ///     });
    /// let model = ScriptedModel::text("Roses ..").with_name("house/poet");
    /// let genkit =
    ///     Genkit::builder().registry(Registry::new().add(poem)).model(model.clone()).build()?;
    /// let response = genkit.prompt("poem").input(json!({"topic": "rain"})).await?;
    /// assert_eq!(response.text(), "Roses ..");
    /// assert_eq!(model.requests()[0].messages[0].text(), "A poem about rain, please.");
    /// # Ok(())
    /// # }
    /// ```
    pub fn prompt(&self, prompt: impl Into<PromptRef>) -> Generate {
        self.0.prompt(prompt)
    }

    /// Resumes an interrupted run: see [`resume`](crate::resume()).
    pub fn resume(
        &self,
        interrupted: GenerateResponse,
        answer: impl FnMut(&Interrupt) -> Answer,
    ) -> Generate {
        self.0.resume(interrupted, answer)
    }

    /// Resumes an interrupted run: see [`resume_with`](crate::resume_with).
    pub fn resume_with(
        &self,
        interrupted: GenerateResponse,
        answers: impl IntoIterator<Item = Answer>,
    ) -> Generate {
        self.0.resume_with(interrupted, answers)
    }

    /// Calls a tool of the registry by hand, by the name in `request`, with the state and the middleware of this
    /// program. An unknown tool is a failure that a model can read. Otherwise the same as [`Tool::call`](crate::Tool::call).
    ///
    /// ```
    /// use genkit::message::ToolRequest;
    /// use genkit::{Genkit, Registry, tool, tools};
    /// use serde_json::json;
    ///
    /// struct Prices { apple: u32 }
    ///
    /// /// Returns the price of `n` apples.
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
        self.0.call_tool(request)
    }

    /// Computes embeddings: converts texts to vectors with an embedder, given as a value or by name; see
    /// [`embed`](crate::embed()).
    ///
    /// ```
    /// use genkit::model::{Embedding, embedder_fn};
    /// use genkit::{Genkit, Registry};
    ///
    /// # #[tokio::main(flavor = "current_thread")]
    /// # async fn main() -> genkit::Result<()> {
    /// let lengths = embedder_fn("house/lengths", |texts| async move {
    ///     texts.iter().map(|text| Embedding::new([text.len() as f64])).collect::<Vec<_>>()
    /// });
    /// let genkit = Genkit::builder().registry(Registry::new()).embedder(lengths).build()?;
    /// assert_eq!(genkit.embed("house/lengths", ["tide"]).await?.embeddings[0].values(), [4.0]);
    /// # Ok(())
    /// # }
    /// ```
    pub fn embed<T: Into<String>>(
        &self,
        embedder: impl Into<EmbedderRef>,
        texts: impl IntoIterator<Item = T>,
    ) -> Embed {
        self.0.embed(embedder, texts)
    }
}

#[cfg(feature = "durable")]
impl Genkit {
    /// Creates a durable run, which is saved after each step and continues in any process with the same registry. See
    /// [`genkit::durable`](crate::durable), also for the meaning of "at least once".
    ///
    /// `id` is the idempotency key: if a run with this id exists, it is returned, and `run` is ignored. No step is
    /// performed yet; use [`DurableRun::wait`] and [`Genkit::work`].
    ///
    /// # Errors
    /// `FailedPrecondition` without [`GenkitBuilder::durable`](crate::GenkitBuilder::durable), `InvalidArgument` for an
    /// invalid id or a run with code that has no name, any error that a run can return before its first response, and
    /// any error of the store.
    pub async fn durable_run(&self, id: impl Into<String>, run: Generate) -> Result<DurableRun> {
        genkit_durable::internal::runs::durable_run(&self.0, id, run).await
    }

    /// Creates a durable flow: a flow of the registry that may ask questions. After a crash it runs again from its
    /// beginning, with the saved results of [`Context::once`](crate::Context::once). Otherwise the same as
    /// [`durable_run`](Self::durable_run).
    ///
    /// ```
    /// use genkit::durable::{FlowOutcome, FolderStore};
    /// use genkit::{Context, Genkit, Registry, Result, flow, flows};
    /// use serde_json::json;
    ///
    /// async fn charge(cents: u32, key: Option<String>) -> Result<String> { Ok(format!("{cents} {}", key.unwrap())) }
    ///
    /// /// Sells something.
    /// #[flow]
    /// async fn sell(ctx: &Context, cents: u32) -> Result<String> {
    ///     let receipt = ctx.once("charge", charge(cents, ctx.idempotency_key("charge"))).await?;
    ///     ctx.confirm("Send it?").await?;
    ///     Ok(receipt)
    /// }
    ///
    /// # #[tokio::main(flavor = "current_thread")]
    /// # async fn main() -> Result<()> {
    /// # let folder = std::env::temp_dir().join(format!("genkit-flows-{}", std::process::id()));
    /// let registry = Registry::new().add(flows![sell]);
    /// let genkit = Genkit::builder().registry(registry).durable(FolderStore::open(&folder)?).build()?;
    /// let run = genkit.durable_flow("sale-1", "sell", json!({"cents": 500})).await?;
    /// let FlowOutcome::Asks(open) = run.wait().await? else { panic!() };
    /// run.answer(open[0].key(), json!(true)).await?;
    /// let FlowOutcome::Returned(receipt) = run.wait().await? else { panic!() };
    /// assert_eq!(receipt, "500 sale-1/0/0/charge");
    /// # std::fs::remove_dir_all(folder).ok();
    /// # Ok(())
    /// # }
    /// ```
    ///
    /// # Errors
    /// The errors of [`durable_run`](Self::durable_run); `NotFound` if the flow does not exist.
    pub async fn durable_flow(
        &self,
        id: impl Into<String>,
        flow: &str,
        input: impl Serialize,
    ) -> Result<DurableFlow> {
        genkit_durable::internal::runs::durable_flow(&self.0, id, flow, input).await
    }

    /// Returns the durable run with this id, created by any process. `None` if there is none.
    ///
    /// # Errors
    /// The errors of [`durable_run`](Self::durable_run).
    pub async fn find_durable_run(&self, id: impl Into<String>) -> Result<Option<DurableRun>> {
        genkit_durable::internal::runs::find_durable_run(&self.0, id).await
    }

    /// Returns the durable flow with this id, created by any process. `None` if there is none.
    ///
    /// # Errors
    /// The errors of [`durable_flow`](Self::durable_flow).
    pub async fn find_durable_flow(&self, id: impl Into<String>) -> Result<Option<DurableFlow>> {
        genkit_durable::internal::runs::find_durable_flow(&self.0, id).await
    }

    /// Creates a worker for durable runs and flows. See [`Worker`].
    pub fn work(&self) -> Worker {
        Worker::of_instance(&self.0)
    }
}

#[cfg(feature = "flows")]
impl Genkit {
    /// Serves the flows of this instance over HTTP; see [`serve_flows`](crate::serve_flows).
    ///
    /// ```no_run
    /// use genkit::{Genkit, Registry, flow, flows};
    ///
    /// /// Greets a person.
    /// #[flow]
    /// async fn greet(who: String) -> String { format!("hello {who}") }
    ///
    /// #[tokio::main]
    /// async fn main() -> genkit::Result<()> {
    ///     let genkit = Genkit::builder().registry(Registry::new().add(flows![greet])).build()?;
    ///     genkit.serve_flows().http("127.0.0.1:8080").await
    /// }
    /// ```
    pub fn serve_flows(&self) -> flows::FlowServer {
        flows::FlowServer::new(self.bound(), self.on_start())
    }
}

#[cfg(feature = "mcp-server")]
impl Genkit {
    /// Serves the tools, prompts and resources of this instance over MCP. See
    /// [`serve_mcp`](crate::serve_mcp).
    ///
    /// ```no_run
    /// use genkit::{Genkit, Registry, tool, tools};
    ///
    /// /// Adds.
    /// #[tool]
    /// async fn add(a: i64, b: i64) -> i64 { a + b }
    ///
    /// #[tokio::main]
    /// async fn main() -> genkit::Result<()> {
    ///     let genkit = Genkit::builder().registry(Registry::new().add(tools![add])).build()?;
    ///     genkit.serve_mcp().name("calculator").await
    /// }
    /// ```
    pub fn serve_mcp(&self) -> mcp::McpServer {
        mcp::McpServer::new(self.served())
    }
}

/// Called with the actions of a server when it starts.
#[cfg(any(feature = "flows", feature = "mcp-server"))]
type OnStart = std::sync::Arc<dyn Fn(&BoundRegistry) + Send + Sync>;

impl Genkit {
    /// What a server of this instance reads.
    #[cfg(any(feature = "flows", feature = "mcp-server"))]
    fn bound(&self) -> BoundRegistry {
        BoundRegistry { registry: self.0.registry.clone(), states: self.0.states.clone() }
    }

    /// Starts Genkit's developer tools when a server of this instance starts.
    #[cfg(all(feature = "dev-tools", any(feature = "flows", feature = "mcp-server")))]
    #[expect(
        clippy::unnecessary_wraps,
        reason = "without the developer tools there is nothing to start"
    )]
    fn on_start(&self) -> Option<OnStart> {
        let instance = self.0.clone();
        Some(std::sync::Arc::new(move |bound| {
            let mut instance = instance.clone();
            instance.bound = bound.clone();
            genkit_dev::start(&instance);
        }))
    }

    #[cfg(all(not(feature = "dev-tools"), any(feature = "flows", feature = "mcp-server")))]
    fn on_start(&self) -> Option<OnStart> {
        None
    }

    #[cfg(feature = "mcp-server")]
    fn served(&self) -> genkit_mcp_server::internal::ServedInstance {
        genkit_mcp_server::internal::ServedInstance {
            bound: self.bound(),
            #[cfg(feature = "generate")]
            middleware: self.0.runs.middleware.clone(),
            #[cfg(feature = "durable")]
            store: self.0.runs.store.clone(),
            on_start: self.on_start(),
        }
    }
}

#[doc(hidden)]
impl Deref for Genkit {
    type Target = Inner;

    fn deref(&self) -> &Inner {
        &self.0
    }
}

impl std::fmt::Debug for Genkit {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        f.debug_struct("Genkit").field("registry", self.registry()).finish_non_exhaustive()
    }
}

/// A builder of a [`Genkit`] instance.
///
/// ```
/// use genkit::{ErrorKind, Genkit, Registry, flow, flows};
///
/// struct Prices { apple: u32 }
///
/// /// Returns the price of `n` apples.
/// #[flow]
/// async fn cost(prices: &Prices, n: u32) -> u32 {
///     prices.apple * n
/// }
///
/// let shop = Genkit::builder()
///     .registry(Registry::new()) // the default is the registry of the program
///     .actions(flows![cost])
///     .state(Prices { apple: 3 })
///     .build()?;
/// assert_eq!(shop.registry().flows().len(), 1);
///
/// let error = Genkit::builder().registry(shop.registry().clone()).build().err().unwrap();
/// assert_eq!(error.kind(), ErrorKind::FailedPrecondition); // the state `Prices` is missing
/// # Ok::<(), genkit::Error>(())
/// ```
#[must_use = "a builder does nothing until `.build()`"]
pub struct GenkitBuilder(InnerBuilder);

impl GenkitBuilder {
    /// Sets the registry to read instead of the program's.
    pub fn registry(self, registry: Registry) -> Self {
        Self(self.0.registry(registry))
    }

    /// Adds actions to the given registry, or to a copy of the program's: `tools![..]`, `actions![..]` of several
    /// kinds, or values.
    pub fn actions(self, actions: impl IntoActions) -> Self {
        Self(self.0.actions(actions))
    }

    /// Adds state: `value` is injected into every function that takes `&T`. It replaces a value of the same
    /// type from the `Genkit`.
    pub fn state<T: Send + Sync + 'static>(self, value: T) -> Self {
        Self(self.0.state(value))
    }

    /// Builds the instance, after checking it as a whole.
    ///
    /// # Errors
    /// The errors of [`Registry::check`]; missing state that a function takes as `&T`; all errors in `.prompt` files
    /// and skills.
    pub fn build(self) -> Result<Genkit> {
        self.0.build().map(Genkit)
    }
}

#[cfg(feature = "generate")]
impl GenkitBuilder {
    /// Sets the default model, for requests that do not name one.
    ///
    /// ```
    /// use genkit::{Genkit, Registry, testing::ScriptedModel};
    ///
    /// # #[tokio::main(flavor = "current_thread")]
    /// # async fn main() -> genkit::Result<()> {
    /// let genkit = Genkit::builder().registry(Registry::new()).default_model(ScriptedModel::text("hello")).build()?;
    /// assert_eq!(genkit.generate("hi").await?.text(), "hello");
    /// # Ok(())
    /// # }
    /// ```
    pub fn default_model(self, model: impl IntoModel) -> Self {
        Self(self.0.default_model(model))
    }

    /// Adds a model that requests find by its name.
    pub fn model(self, model: impl Model) -> Self {
        Self(self.0.model(model))
    }

    /// Adds an embedder that [`embed`](crate::embed()) finds by its name.
    pub fn embedder(self, embedder: impl Embedder) -> Self {
        Self(self.0.embedder(embedder))
    }

    /// Adds a provider with custom settings, instead of the one from the environment.
    pub fn provider(self, provider: impl Provider) -> Self {
        Self(self.0.provider(provider))
    }

    /// Adds middleware: code around every run, its model calls and its tool calls.
    pub fn middleware(self, middleware: impl Middleware) -> Self {
        Self(self.0.middleware(middleware))
    }

    /// Adds named middleware, which prompts and [`GenerateOptions`](crate::generate::GenerateOptions) refer to by name.
    /// It runs inside the middleware of the program, and only in runs that name it.
    ///
    /// ```
    /// use genkit::action::PromptOptions;
    /// use genkit::middleware::retry;
    /// use genkit::{Context, Genkit, Prompt, testing::ScriptedModel};
    /// use serde_json::Value;
    ///
    /// # #[tokio::main(flavor = "current_thread")]
    /// # async fn main() -> genkit::Result<()> {
    /// let poem = Prompt::builder("poem", "Requests a poem.")
    ///     .options(PromptOptions::default().with_middleware(["again"]))
    ///     .handler(|_: Context, _: Value| async { Ok("A poem, please.") });
    /// let genkit = Genkit::builder()
    /// #    .registry(genkit::Registry::new())
    ///     .named_middleware("again", retry())
    ///     .default_model(ScriptedModel::text("Roses .."))
    ///     .build()?;
    /// assert_eq!(genkit.prompt(poem).await?.text(), "Roses ..");
    /// # Ok(())
    /// # }
    /// ```
    pub fn named_middleware(self, name: impl Into<String>, middleware: impl Middleware) -> Self {
        Self(self.0.named_middleware(name, middleware))
    }

    /// Adds named middleware with settings: `use: [{name: again, config: {tries: 5}}]` in a prompt. `make` is called
    /// for each run that names it.
    ///
    /// ```
    /// use genkit::action::PromptOptions;
    /// use genkit::middleware::retry;
    /// use genkit::{Context, Genkit, Prompt, testing::ScriptedModel};
    /// use serde_json::{Value, json};
    ///
    /// #[derive(serde::Deserialize)]
    /// struct Again { tries: u32 }
    ///
    /// # #[tokio::main(flavor = "current_thread")]
    /// # async fn main() -> genkit::Result<()> {
    /// let again = json!({"name": "again", "config": {"tries": 5}});
    /// let poem = Prompt::builder("poem", "Requests a poem.")
    ///     .options(PromptOptions::default().with_middleware([again]))
    ///     .handler(|_: Context, _: Value| async { Ok("A poem, please.") });
    /// let genkit = Genkit::builder()
    /// #    .registry(genkit::Registry::new())
    ///     .configured_middleware("again", |config: Again| Ok(retry().max_retries(config.tries)))
    ///     .default_model(ScriptedModel::text("Roses .."))
    ///     .build()?;
    /// assert_eq!(genkit.prompt(poem).await?.text(), "Roses ..");
    /// # Ok(())
    /// # }
    /// ```
    pub fn configured_middleware<C, M>(
        self,
        name: impl Into<String>,
        make: impl Fn(C) -> Result<M> + Send + Sync + 'static,
    ) -> Self
    where
        C: serde::de::DeserializeOwned,
        M: Middleware,
    {
        Self(self.0.configured_middleware(name, make))
    }

    /// Sets the store of durable runs, for [`Genkit::durable_run`], [`Genkit::durable_flow`] and [`Genkit::work`]. See
    /// [`genkit::durable`](crate::durable).
    #[cfg(feature = "durable")]
    pub fn durable(self, store: impl RunStore) -> Self {
        Self(self.0.durable(store))
    }

    /// Sets whether traces record contents, such as messages. Default is `false`: only names, numbers and times are
    /// recorded.
    pub fn trace_contents(self, yes: bool) -> Self {
        Self(self.0.trace_contents(yes))
    }
}

#[cfg(feature = "dotprompt")]
impl GenkitBuilder {
    /// Adds a folder of `.prompt` files, which is read when the instance is built. Each file becomes a prompt of the
    /// registry; without a given registry, of a copy of the program's. May be called several times.
    ///
    /// | file | result |
    /// |---|---|
    /// | `trip.prompt` | the prompt `trip` |
    /// | `trip.formal.prompt` | its variant, the prompt `trip.formal` |
    /// | `mail/reply.prompt` | the prompt `mail/reply` |
    /// | `_header.prompt` | the partial `header`, for `{{> header}}` |
    ///
    /// ```
    /// use genkit::{Genkit, Registry, testing::ScriptedModel};
    /// use serde_json::json;
    ///
    /// # #[tokio::main(flavor = "current_thread")]
    /// # async fn main() -> Result<(), Box<dyn std::error::Error>> {
    /// let folder = std::env::temp_dir().join(format!("prompts-of-doc-{}", std::process::id()));
    /// std::fs::create_dir_all(&folder)?;
    /// std::fs::write(folder.join("trip.prompt"), r#"---
    /// model: house/planner
    /// input: {schema: {city: string, days?: integer}, default: {days: 3}}
    /// ---
    /// {{role "system"}}You plan trips.
    /// {{role "user"}}{{city}} for {{days}} days
    /// "#)?;
    /// let genkit = Genkit::builder()
    ///     .registry(Registry::new())
    ///     .model(ScriptedModel::text("Day one ..").with_name("house/planner"))
    ///     .prompts_dir(&folder)
    ///     .build()?;
    /// let response = genkit.prompt("trip").input(json!({"city": "Rome"})).await?;
    /// assert_eq!(response.text(), "Day one ..");
    /// # std::fs::remove_dir_all(folder)?;
    /// # Ok(())
    /// # }
    /// ```
    ///
    /// If the environment variable `GENKIT_ENV` is `dev`, the folder is [watched](Self::watch_prompts). A missing
    /// folder and errors in the files are returned by [`build`](Self::build), all of them with file, line and column.
    pub fn prompts_dir(self, path: impl Into<std::path::PathBuf>) -> Self {
        Self(self.0.prompts_dir(path))
    }

    /// Sets whether the prompt folders are watched. If a file changes, all files are read again within a second as one
    /// set, and MCP clients are notified. If a file has an error, the prompts stay unchanged and the error is logged.
    /// Default is to watch if `GENKIT_ENV` is `dev`.
    ///
    /// ```
    /// let builder = genkit::Genkit::builder().watch_prompts(false); // not even in development
    /// # let _ = builder;
    /// ```
    pub fn watch_prompts(self, yes: bool) -> Self {
        Self(self.0.watch_prompts(yes))
    }

    /// Adds a JSON schema that `.prompt` files refer to by this name: `input: {schema: Trip}`.
    ///
    /// ```
    /// let builder = genkit::Genkit::builder().schema("City", serde_json::json!({"type": "string"}));
    /// # let _ = builder;
    /// ```
    pub fn schema(self, name: impl Into<String>, schema: impl Into<Value>) -> Self {
        Self(self.0.schema(name, schema))
    }

    /// Adds the JSON schema of a type, which `.prompt` files refer to by the name of the type:
    /// `output: {schema: Trip}`.
    ///
    /// ```
    /// #[derive(serde::Deserialize, schemars::JsonSchema)]
    /// struct Trip { days: Vec<String> }
    ///
    /// let builder = genkit::Genkit::builder().schema_of::<Trip>();
    /// # let _ = builder;
    /// ```
    pub fn schema_of<T: schemars::JsonSchema>(self) -> Self {
        Self(self.0.schema_of::<T>())
    }

    /// Adds a template helper, which templates in the prompt folders call as `{{shout name}}`. See [`TemplateCall`].
    ///
    /// ```
    /// let builder = genkit::Genkit::builder()
    ///     .template_helper("shout", |call| Ok(call.text(0)?.to_uppercase()));
    /// # let _ = builder;
    /// ```
    pub fn template_helper<T: Into<Value>>(
        self,
        name: impl Into<String>,
        helper: impl Fn(&TemplateCall<'_>) -> Result<T> + Send + Sync + 'static,
    ) -> Self {
        Self(self.0.template_helper(name, helper))
    }

    /// Adds a template partial, which templates in the prompt folders include as `{{> name}}`, in addition to partials
    /// in the folders.
    ///
    /// ```
    /// let builder = genkit::Genkit::builder().template_partial("manners", "Be polite.");
    /// # let _ = builder;
    /// ```
    pub fn template_partial(self, name: impl Into<String>, template: impl Into<String>) -> Self {
        Self(self.0.template_partial(name, template))
    }
}

#[cfg(feature = "skills")]
impl GenkitBuilder {
    /// Adds a folder of skills, which is read when the instance is built. Its skills are added to the registry; without
    /// a given registry, to a copy of the program's. May be called several times. See `Skill::read_dir`.
    ///
    /// ```
    /// use genkit::{Genkit, Registry};
    ///
    /// # fn main() -> Result<(), Box<dyn std::error::Error>> {
    /// let folder = std::env::temp_dir().join(format!("skills-dir-of-doc-{}", std::process::id()));
    /// std::fs::create_dir_all(folder.join("refunds"))?;
    /// std::fs::write(
    ///     folder.join("refunds/SKILL.md"),
    ///     "---\nname: refunds\ndescription: Pays money back.\n---\nAsk for the order first.\n",
    /// )?;
    /// let genkit = Genkit::builder().registry(Registry::new()).skills_dir(&folder).build()?;
    /// assert_eq!(genkit.registry().skill("refunds").unwrap().instructions(), "Ask for the order first.\n");
    /// # std::fs::remove_dir_all(folder)?;
    /// # Ok(())
    /// # }
    /// ```
    ///
    /// Errors in the files are returned by [`build`](Self::build), all of them with file and line.
    pub fn skills_dir(self, path: impl Into<std::path::PathBuf>) -> Self {
        Self(self.0.skills_dir(path))
    }
}
