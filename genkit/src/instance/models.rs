//! What runs have of their instance: models, embedders, middleware.

use std::sync::Arc;

use serde::de::DeserializeOwned;

use super::{Genkit, GenkitBuilder};
#[cfg(feature = "durable")]
use crate::durable::store::RunStore;
use crate::error::Result;
use crate::generate::middleware::{Middleware, NamedMiddleware};
use crate::model::{
    Embed, EmbedRequest, Embedder, EmbedderRef, IntoModel, Model, Models, Provider,
};

/// What every run of an instance begins with.
#[derive(Clone, Default)]
pub(crate) struct RunDefaults {
    pub(crate) models: Models,
    pub(crate) middleware: Vec<Arc<dyn Middleware>>,
    pub(crate) named_middleware: NamedMiddleware,
    pub(crate) trace_contents: bool,
    /// Where durable runs are kept.
    #[cfg(feature = "durable")]
    pub(crate) store: Option<Arc<dyn RunStore>>,
}

impl Genkit {
    /// Turns texts into vectors with an embedder, a value or one that is found by its name: see
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
        Embed::new(self.runs.models.clone(), embedder.into(), EmbedRequest::new(texts))
    }
}

impl GenkitBuilder {
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
    pub fn default_model(mut self, model: impl IntoModel) -> Self {
        self.runs.models.set_default(model.into_model());
        self
    }

    /// One more model that requests find by its name.
    pub fn model(mut self, model: impl Model) -> Self {
        self.runs.models.add(Arc::new(model));
        self
    }

    /// One more embedder that [`embed`](crate::embed()) finds by its name.
    pub fn embedder(mut self, embedder: impl Embedder) -> Self {
        self.runs.models.add_embedder(Arc::new(embedder));
        self
    }

    /// A provider with settings of your own, instead of the one that the environment gives.
    pub fn provider(mut self, provider: impl Provider) -> Self {
        self.runs.models.add_provider(Arc::new(provider));
        self
    }

    /// Code around every run, its model calls and its tool calls.
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

    /// Records the texts in traces. Default is names, numbers and times only.
    pub fn trace_contents(mut self, yes: bool) -> Self {
        self.runs.trace_contents = yes;
        self
    }
}
