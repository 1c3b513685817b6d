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

/// Genkit instance: a registry, and the state that is injected into its functions.
///
/// The free functions ([`run_flow`](crate::run_flow), `serve_mcp`) act on the default one: every
/// annotated function of the program, no state. Make your own for state, for tests, and for
/// several tenants in one process.
///
/// ```
/// use genkit::{Genkit, Registry, flow, flows};
/// use serde_json::json;
///
/// struct Prices { apple: u32 }
///
/// /// What `n` apples cost.
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
    /// Builder of an instance: the program's registry unless another is given.
    pub fn builder() -> GenkitBuilder {
        GenkitBuilder(InnerBuilder::new())
    }

    /// Registry of the instance.
    pub fn registry(&self) -> &Registry {
        &self.0.registry
    }

    /// Runs a flow by its name, with JSON in and JSON out.
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
    /// [`ErrorKind::NotFound`](crate::ErrorKind::NotFound) if there is no such flow,
    /// [`ErrorKind::InvalidArgument`](crate::ErrorKind::InvalidArgument) if `input` does not fit,
    /// and whatever the flow fails with.
    pub async fn run_flow(&self, name: &str, input: impl Serialize) -> Result<Value> {
        self.0.run_flow(name, input).await
    }

    /// Streams a flow: runs it, and hands each chunk that it sends to `on_chunk` as it comes.
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
    /// As [`run_flow`](Self::run_flow).
    pub async fn stream_flow(
        &self,
        name: &str,
        input: impl Serialize,
        on_chunk: impl Fn(Value) + Send + Sync + 'static,
    ) -> Result<Value> {
        self.0.stream_flow(name, input, on_chunk).await
    }

    /// Renders a prompt of the registry by its name: its messages are for
    /// [`Generate::messages`](crate::Generate::messages).
    ///
    /// ```
    /// use genkit::{Genkit, Registry, prompt, prompts};
    /// use serde_json::json;
    ///
    /// /// Asks for a haiku.
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
    /// [`ErrorKind::NotFound`](crate::ErrorKind::NotFound) if there is no such prompt; else as
    /// [`Prompt::render`](crate::Prompt::render).
    pub async fn render_prompt(
        &self,
        name: &str,
        arguments: impl Serialize,
    ) -> Result<PromptReply> {
        self.0.render_prompt(name, arguments).await
    }

    /// Reads a resource of the registry: the one whose URI or template fits `uri` best.
    ///
    /// ```
    /// use genkit::{Genkit, Registry, resource, resources};
    ///
    /// /// A note by its number.
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
    /// [`ErrorKind::NotFound`](crate::ErrorKind::NotFound) if no resource fits; else as
    /// [`Resource::read`](crate::Resource::read).
    pub async fn read_resource(&self, uri: &str) -> Result<Vec<ResourceContents>> {
        self.0.read_resource(uri).await
    }
}

#[cfg(feature = "generate")]
impl Genkit {
    /// Asks a language model: see [`generate`](crate::generate()).
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

    /// Asks a language model from plain data: what Genkit's tools send to `/util/generate`.
    pub fn generate_with(&self, options: GenerateOptions) -> Generate {
        self.0.generate_with(options)
    }

    /// Prompt as the beginning of a run: see [`prompt`](crate::prompt()).
    ///
    /// ```
    /// use genkit::{Context, Genkit, Prompt, Registry, testing::ScriptedModel};
    /// use serde_json::{Map, Value, json};
    ///
    /// # #[tokio::main(flavor = "current_thread")]
    /// # async fn main() -> genkit::Result<()> {
    /// let poem = Prompt::builder("poem", "Asks for a poem.")
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
        self.0.call_tool(request)
    }

    /// Embeddings: turns texts into vectors with an embedder, a value or one that is found by its
    /// name; see [`embed`](crate::embed()).
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
    /// Durable run: a run of the loop that is saved after each step, and goes on in any process that has the same
    /// registry. See [`genkit::durable`](crate::durable), also for what "at least once" means.
    ///
    /// `id` is the idempotency key: where there is a run of that id already, it is that one, whatever is asked here.
    /// Nothing is performed yet: [`DurableRun::wait`] and [`Genkit::work`] do.
    ///
    /// # Errors
    /// `FailedPrecondition` without [`GenkitBuilder::durable`](crate::GenkitBuilder::durable), `InvalidArgument` for an id that is none or a run with
    /// code that has no name, what a run may fail with before its first answer, and what the store fails with.
    pub async fn durable_run(&self, id: impl Into<String>, run: Generate) -> Result<DurableRun> {
        genkit_durable::internal::runs::durable_run(&self.0, id, run).await
    }

    /// Durable flow: a flow of the registry that goes on after a crash, from its beginning, without what it did by
    /// [`Context::once`](crate::Context::once); and that may ask. Else as [`durable_run`](Self::durable_run).
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
    /// As [`durable_run`](Self::durable_run); `NotFound` where there is no such flow.
    pub async fn durable_flow(
        &self,
        id: impl Into<String>,
        flow: &str,
        input: impl Serialize,
    ) -> Result<DurableFlow> {
        genkit_durable::internal::runs::durable_flow(&self.0, id, flow, input).await
    }

    /// The durable run of this id, made by whatever process; `None` where there is none.
    ///
    /// # Errors
    /// As [`durable_run`](Self::durable_run).
    pub async fn find_durable_run(&self, id: impl Into<String>) -> Result<Option<DurableRun>> {
        genkit_durable::internal::runs::find_durable_run(&self.0, id).await
    }

    /// The durable flow of this id, made by whatever process; `None` where there is none.
    ///
    /// # Errors
    /// As [`durable_flow`](Self::durable_flow).
    pub async fn find_durable_flow(&self, id: impl Into<String>) -> Result<Option<DurableFlow>> {
        genkit_durable::internal::runs::find_durable_flow(&self.0, id).await
    }

    /// Worker of durable runs and flows: takes what is due until it is told to stop. See
    /// [`Worker`].
    pub fn work(&self) -> Worker {
        Worker::of_instance(&self.0)
    }
}

#[cfg(feature = "flows")]
impl Genkit {
    /// Serves the flows of this instance over HTTP: see [`serve_flows`](crate::serve_flows).
    ///
    /// ```no_run
    /// use genkit::{Genkit, Registry, flow, flows};
    ///
    /// /// Greets somebody.
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
    /// Serves the tools, prompts and resources of this instance over MCP: see
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
    fn on_start(&self) -> Option<std::sync::Arc<dyn Fn(&BoundRegistry) + Send + Sync>> {
        let instance = self.0.clone();
        Some(std::sync::Arc::new(move |bound| {
            let mut instance = instance.clone();
            instance.bound = bound.clone();
            genkit_dev::start(&instance);
        }))
    }

    #[cfg(all(not(feature = "dev-tools"), any(feature = "flows", feature = "mcp-server")))]
    fn on_start(&self) -> Option<std::sync::Arc<dyn Fn(&BoundRegistry) + Send + Sync>> {
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

/// Builder of a [`Genkit`] instance.
///
/// ```
/// use genkit::{ErrorKind, Genkit, Registry, flow, flows};
///
/// struct Prices { apple: u32 }
///
/// /// What `n` apples cost.
/// #[flow]
/// async fn cost(prices: &Prices, n: u32) -> u32 {
///     prices.apple * n
/// }
///
/// let shop = Genkit::builder()
///     .registry(Registry::new()) // default is that of the program
///     .actions(flows![cost])
///     .state(Prices { apple: 3 })
///     .build()?;
/// assert_eq!(shop.registry().flows().len(), 1);
///
/// let error = Genkit::builder().registry(shop.registry().clone()).build().err().unwrap();
/// assert_eq!(error.kind(), ErrorKind::FailedPrecondition); // nobody gave `Prices`
/// # Ok::<(), genkit::Error>(())
/// ```
#[must_use = "a builder does nothing until `.build()`"]
pub struct GenkitBuilder(InnerBuilder);

impl GenkitBuilder {
    /// Registry: reads this one instead of the program's.
    pub fn registry(self, registry: Registry) -> Self {
        Self(self.0.registry(registry))
    }

    /// Actions: adds some to the given registry, or to a copy of the program's: `tools![..]`,
    /// `actions![..]` of several kinds, or values.
    pub fn actions(self, actions: impl IntoActions) -> Self {
        Self(self.0.actions(actions))
    }

    /// State: injects `value` into every function that takes `&T`.
    pub fn state<T: Send + Sync + 'static>(self, value: T) -> Self {
        Self(self.0.state(value))
    }

    /// Builds the instance, once the whole is checked.
    ///
    /// # Errors
    /// As [`Registry::check`]; also if a function takes a `&T` that was not given, and all mistakes of
    /// `.prompt` files and skills.
    pub fn build(self) -> Result<Genkit> {
        self.0.build().map(Genkit)
    }
}

#[cfg(feature = "generate")]
impl GenkitBuilder {
    /// Default model: that of every request that names none.
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

    /// Model: one more that requests find by its name.
    pub fn model(self, model: impl Model) -> Self {
        Self(self.0.model(model))
    }

    /// Embedder: one more that [`embed`](crate::embed()) finds by its name.
    pub fn embedder(self, embedder: impl Embedder) -> Self {
        Self(self.0.embedder(embedder))
    }

    /// Provider with settings of your own, instead of the one that the environment gives.
    pub fn provider(self, provider: impl Provider) -> Self {
        Self(self.0.provider(provider))
    }

    /// Middleware: code around every run, its model calls and its tool calls.
    pub fn middleware(self, middleware: impl Middleware) -> Self {
        Self(self.0.middleware(middleware))
    }

    /// Middleware by a name, which prompts and [`GenerateOptions`](crate::generate::GenerateOptions) ask for: it runs
    /// inside of the program's own, and only where it is asked for.
    ///
    /// ```
    /// use genkit::action::PromptOptions;
    /// use genkit::middleware::retry;
    /// use genkit::{Context, Genkit, Prompt, testing::ScriptedModel};
    /// use serde_json::Value;
    ///
    /// # #[tokio::main(flavor = "current_thread")]
    /// # async fn main() -> genkit::Result<()> {
    /// let poem = Prompt::builder("poem", "Asks for a poem.")
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

    /// Middleware by a name that takes settings: `use: [{name: again, config: {tries: 5}}]` in a prompt.
    /// `make` is asked for each run that names it.
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
    /// let poem = Prompt::builder("poem", "Asks for a poem.")
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

    /// Store of durable runs: [`Genkit::durable_run`], [`Genkit::durable_flow`] and [`Genkit::work`] use it. See
    /// [`genkit::durable`](crate::durable).
    #[cfg(feature = "durable")]
    pub fn durable(self, store: impl RunStore) -> Self {
        Self(self.0.durable(store))
    }

    /// Tracing of contents: records the texts in traces. Default is names, numbers and times only.
    pub fn trace_contents(self, yes: bool) -> Self {
        Self(self.0.trace_contents(yes))
    }
}

#[cfg(feature = "dotprompt")]
impl GenkitBuilder {
    /// Prompt folder: one of `.prompt` files, read when the instance is built: each becomes a prompt of the
    /// registry, of which it is a copy unless one is given. Called again, this is one more.
    ///
    /// | file | is |
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
    /// Where the environment variable `GENKIT_ENV` is `dev` the folder is [watched](Self::watch_prompts). What
    /// is wrong with the files, and a folder that there is not, is an error of [`build`](Self::build): all mistakes
    /// with file, line and column.
    pub fn prompts_dir(self, path: impl Into<std::path::PathBuf>) -> Self {
        Self(self.0.prompts_dir(path))
    }

    /// Watching of prompts: whether the folders are watched: a file that changes is read again within a second,
    /// all files as one set, and MCP clients are told. With a mistake in a file the prompts stay as they were, and
    /// the mistake is logged. Default is where `GENKIT_ENV` is `dev`.
    ///
    /// ```
    /// let builder = genkit::Genkit::builder().watch_prompts(false); // also in development
    /// # let _ = builder;
    /// ```
    pub fn watch_prompts(self, yes: bool) -> Self {
        Self(self.0.watch_prompts(yes))
    }

    /// JSON schema that `.prompt` files know by its name: `input: {schema: Trip}`.
    ///
    /// ```
    /// let builder = genkit::Genkit::builder().schema("City", serde_json::json!({"type": "string"}));
    /// # let _ = builder;
    /// ```
    pub fn schema(self, name: impl Into<String>, schema: impl Into<Value>) -> Self {
        Self(self.0.schema(name, schema))
    }

    /// JSON schema of a type, which `.prompt` files know by the type's name: `output: {schema:
    /// Trip}`.
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

    /// Template helper: one that the templates of the folders call: `{{shout name}}`. See
    /// [`TemplateCall`].
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

    /// Template partial that the templates of the folders include, besides their own: `{{> name}}`.
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
    /// Skill folder: one of skills, read when the instance is built: each is in the registry, of which it is a copy
    /// unless one is given. Called again, this is one more. See [`Skill::read_dir`].
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
    /// What is wrong with the files is an error of [`build`](Self::build): all mistakes with file and line.
    pub fn skills_dir(self, path: impl Into<std::path::PathBuf>) -> Self {
        Self(self.0.skills_dir(path))
    }
}
