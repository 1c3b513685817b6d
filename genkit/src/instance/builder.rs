//! The builder of a Genkit instance: registry and state.

#[cfg(feature = "generate")]
use std::sync::Arc;

#[cfg(feature = "generate")]
use serde::de::DeserializeOwned;

use super::Genkit;
#[cfg(feature = "generate")]
use super::models::RunDefaults;
use crate::context::TypeMap;
#[cfg(feature = "durable")]
use crate::durable::store::RunStore;
use crate::error::Result;
#[cfg(feature = "generate")]
use crate::generate::middleware::Middleware;
#[cfg(feature = "generate")]
use crate::model::{Embedder, IntoModel, Model, Provider};
#[cfg(feature = "dotprompt")]
use crate::prompts_dir::PromptFiles;
use crate::registry::{IntoActions, Registry};

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
pub struct GenkitBuilder {
    /// `None` is the program's own registry, which stays as it is.
    pub(super) registry: Option<Registry>,
    states: TypeMap,
    #[cfg(feature = "generate")]
    runs: RunDefaults,
    #[cfg(feature = "dotprompt")]
    pub(super) prompts: PromptFiles,
    #[cfg(feature = "skills")]
    pub(super) skill_dirs: Vec<std::path::PathBuf>,
}

impl GenkitBuilder {
    pub(super) fn new() -> Self {
        Self {
            registry: None,
            states: TypeMap::default(),
            #[cfg(feature = "generate")]
            runs: RunDefaults::default(),
            #[cfg(feature = "dotprompt")]
            prompts: PromptFiles::default(),
            #[cfg(feature = "skills")]
            skill_dirs: Vec::new(),
        }
    }

    /// Registry: reads this one instead of the program's.
    pub fn registry(mut self, registry: Registry) -> Self {
        self.registry = Some(registry);
        self
    }

    /// Actions: adds some to the given registry, or to a copy of the program's: `tools![..]`,
    /// `actions![..]` of several kinds, or values.
    pub fn actions(mut self, actions: impl IntoActions) -> Self {
        self.registry = Some(self.registry.unwrap_or_else(Registry::linked).add(actions));
        self
    }

    /// State: injects `value` into every function that takes `&T`.
    pub fn state<T: Send + Sync + 'static>(mut self, value: T) -> Self {
        self.states.insert(value);
        self
    }

    /// Builds the instance, once the whole is checked.
    ///
    /// # Errors
    /// As [`Registry::check`]; also if a function takes a `&T` that was not given, and all mistakes of
    /// `.prompt` files and skills.
    pub fn build(self) -> Result<Genkit> {
        #[cfg(feature = "dotprompt")]
        let this = self.with_prompt_files()?;
        #[cfg(not(feature = "dotprompt"))]
        let this = self;
        #[cfg(feature = "skills")]
        let this = this.with_skill_dirs()?;
        this.checked()
    }

    fn checked(self) -> Result<Genkit> {
        let registry = self.registry.unwrap_or_else(|| Registry::global().clone());
        registry.check_with(&self.states)?;
        Ok(Genkit {
            registry,
            states: self.states,
            #[cfg(feature = "generate")]
            runs: self.runs,
        })
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
    pub fn default_model(mut self, model: impl IntoModel) -> Self {
        self.runs.models.set_default(model.into_model());
        self
    }

    /// Model: one more that requests find by its name.
    pub fn model(mut self, model: impl Model) -> Self {
        self.runs.models.add(Arc::new(model));
        self
    }

    /// Embedder: one more that [`embed`](crate::embed()) finds by its name.
    pub fn embedder(mut self, embedder: impl Embedder) -> Self {
        self.runs.models.add_embedder(Arc::new(embedder));
        self
    }

    /// Provider with settings of your own, instead of the one that the environment gives.
    pub fn provider(mut self, provider: impl Provider) -> Self {
        self.runs.models.add_provider(Arc::new(provider));
        self
    }

    /// Middleware: code around every run, its model calls and its tool calls.
    pub fn middleware(mut self, middleware: impl Middleware) -> Self {
        self.runs.middleware.push(Arc::new(middleware));
        self
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
    pub fn named_middleware(
        mut self,
        name: impl Into<String>,
        middleware: impl Middleware,
    ) -> Self {
        self.runs.named_middleware.add(name.into(), Arc::new(middleware));
        self
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
        mut self,
        name: impl Into<String>,
        make: impl Fn(C) -> Result<M> + Send + Sync + 'static,
    ) -> Self
    where
        C: DeserializeOwned,
        M: Middleware,
    {
        self.runs.named_middleware.add_configured(name.into(), make);
        self
    }

    /// Store of durable runs: [`Genkit::durable_run`], [`Genkit::durable_flow`] and [`Genkit::work`] use it. See
    /// [`genkit::durable`](crate::durable).
    #[cfg(feature = "durable")]
    pub fn durable(mut self, store: impl RunStore) -> Self {
        self.runs.store = Some(Arc::new(store));
        self
    }

    /// Tracing of contents: records the texts in traces. Default is names, numbers and times only.
    pub fn trace_contents(mut self, yes: bool) -> Self {
        self.runs.trace_contents = yes;
        self
    }
}
