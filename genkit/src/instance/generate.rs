//! Runs, models and middleware of an instance.

use genkit_core::Result;

use super::{Genkit, GenkitBuilder};
use crate::generate::{
    Answer, Generate, GenerateOptions, GenerateResponse, Interrupt, IntoParts, PromptRef,
    ToolInvocation,
};
use crate::message::ToolRequest;
use crate::middleware::Middleware;
use crate::model::{Embed, Embedder, EmbedderRef, IntoModel, Model, Provider};

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

    /// Calls a language model with options that are plain data, in the format that Genkit's tools send to
    /// `/util/generate`.
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

    /// Resumes an interrupted run: see [`resume_with_answers`](crate::resume_with_answers).
    pub fn resume_with_answers(
        &self,
        interrupted: GenerateResponse,
        answers: impl IntoIterator<Item = Answer>,
    ) -> Generate {
        self.0.resume_with_answers(interrupted, answers)
    }

    #[doc(hidden)]
    #[deprecated(note = "renamed to `resume_with_answers`")]
    pub fn resume_with(
        &self,
        interrupted: GenerateResponse,
        answers: impl IntoIterator<Item = Answer>,
    ) -> Generate {
        self.resume_with_answers(interrupted, answers)
    }

    /// Calls the registered tool named in `request`, with the state and middleware of this instance. If the tool is
    /// unknown, the outcome is an error response for the model. Otherwise, this method works like
    /// [`Tool::call`](crate::Tool::call).
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

    /// Computes embeddings: converts texts to vectors with an embedder, given as a value or by name. See
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

impl GenkitBuilder {
    /// Sets the default model, for requests that do not name a model.
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

    /// Adds a model, which requests can then refer to by name.
    pub fn model(self, model: impl Model) -> Self {
        Self(self.0.model(model))
    }

    /// Adds an embedder, which [`embed`](crate::embed()) can then refer to by name.
    pub fn embedder(self, embedder: impl Embedder) -> Self {
        Self(self.0.embedder(embedder))
    }

    /// Adds a provider with custom settings, instead of the provider from the environment.
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

    /// Adds named middleware that takes settings, such as
    /// `use: [{name: again, config: {tries: 5}}]` in a prompt. `make` is called for each run that
    /// refers to the middleware.
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

    /// Sets whether traces record contents, such as messages. Default is `false`: only names, numbers and times are
    /// recorded.
    pub fn trace_contents(self, yes: bool) -> Self {
        Self(self.0.trace_contents(yes))
    }
}
