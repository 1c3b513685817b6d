//! The Genkit instance: a registry with its state and models, which the free functions act on.

use std::sync::Arc;

use serde_json::Value;
use tracing::Instrument as _;

use crate::context::{ContextParts, TypeMap};
use crate::error::{Error, Result};
use crate::generate::middleware::Middleware;
use crate::model::{Model, ModelRef, Models, Provider};
use crate::registry::{IntoActions, Registry};

/// A registry and the state that is injected into its functions.
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
#[derive(Clone)]
pub struct Genkit {
    pub(crate) registry: Registry,
    pub(crate) states: TypeMap,
    pub(crate) models: Models,
    pub(crate) middleware: Vec<Arc<dyn Middleware>>,
    pub(crate) trace_contents: bool,
}

impl Default for Genkit {
    /// Every annotated function of the program, and no state.
    fn default() -> Self {
        Self {
            registry: Registry::global().clone(),
            states: TypeMap::default(),
            models: Models::default(),
            middleware: Vec::new(),
            trace_contents: false,
        }
    }
}

impl Genkit {
    /// Begins one: the program's registry unless another is given.
    pub fn builder() -> GenkitBuilder {
        GenkitBuilder {
            registry: None,
            states: TypeMap::default(),
            models: Models::default(),
            middleware: Vec::new(),
            trace_contents: false,
        }
    }

    /// Its registry.
    pub fn registry(&self) -> &Registry {
        &self.registry
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
    pub async fn run_flow(&self, name: &str, input: Value) -> Result<Value> {
        self.run_flow_parts(name, input, ContextParts::default()).await
    }

    /// Runs a flow, and hands each chunk that it sends to `on_chunk` as it comes.
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
        input: Value,
        on_chunk: impl Fn(Value) + Send + Sync + 'static,
    ) -> Result<Value> {
        let parts = ContextParts { chunks: Some(Arc::new(on_chunk)), ..ContextParts::default() };
        self.run_flow_parts(name, input, parts).await
    }

    async fn run_flow_parts(&self, name: &str, input: Value, parts: ContextParts) -> Result<Value> {
        let flow = self.registry.flow(name).ok_or_else(|| {
            let flows = self.registry.flows();
            let names = flows.iter().map(crate::Flow::name);
            Error::not_found(crate::suggest::unknown("flow", name, names))
        })?;
        let context = ContextParts { states: self.states.clone(), ..parts }.build();
        let span = tracing::info_span!("flow", name = flow.name());
        flow.invoke(&context, input).instrument(span).await
    }
}

impl std::fmt::Debug for Genkit {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        f.debug_struct("Genkit").field("registry", &self.registry).finish_non_exhaustive()
    }
}

/// A [`Genkit`] in the making.
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
pub struct GenkitBuilder {
    /// `None` is the program's own registry, which stays as it is.
    registry: Option<Registry>,
    states: TypeMap,
    models: Models,
    middleware: Vec<Arc<dyn Middleware>>,
    trace_contents: bool,
}

impl GenkitBuilder {
    /// Reads this registry instead of the program's.
    pub fn registry(mut self, registry: Registry) -> Self {
        self.registry = Some(registry);
        self
    }

    /// Adds actions to the given registry, or to a copy of the program's: `tools![..]`, `actions![..]` of
    /// several kinds, or values.
    pub fn actions(mut self, actions: impl IntoActions) -> Self {
        self.registry = Some(self.registry.unwrap_or_else(Registry::linked).add(actions));
        self
    }

    /// State: injects `value` into every function that takes `&T`.
    pub fn state<T: Send + Sync + 'static>(mut self, value: T) -> Self {
        self.states.insert(value);
        self
    }

    /// The model of every request that names none.
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
    pub fn default_model(mut self, model: impl Into<ModelRef>) -> Self {
        self.models.set_default(model.into());
        self
    }

    /// One more model that requests find by its name.
    pub fn model(mut self, model: impl Model) -> Self {
        self.models.add(Arc::new(model));
        self
    }

    /// A provider with settings of your own, instead of the one that the environment gives.
    pub fn provider(mut self, provider: impl Provider) -> Self {
        self.models.add_provider(Arc::new(provider));
        self
    }

    /// Code around every run, its model calls and its tool calls.
    pub fn middleware(mut self, middleware: impl Middleware) -> Self {
        self.middleware.push(Arc::new(middleware));
        self
    }

    /// Records the texts in traces. Default is names, numbers and times only.
    pub fn trace_contents(mut self, yes: bool) -> Self {
        self.trace_contents = yes;
        self
    }

    /// Checks the whole and ends the making.
    ///
    /// # Errors
    /// As [`Registry::check`]; also if a function takes a `&T` that was not given.
    pub fn build(self) -> Result<Genkit> {
        let registry = self.registry.unwrap_or_else(|| Registry::global().clone());
        registry.check_with(&self.states)?;
        Ok(Genkit {
            registry,
            states: self.states,
            models: self.models,
            middleware: self.middleware,
            trace_contents: self.trace_contents,
        })
    }
}
