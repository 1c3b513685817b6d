//! The Genkit instance: a registry with its state and models, which the free functions act on.

mod builder;
#[cfg(feature = "generate")]
mod models;
#[cfg(feature = "dotprompt")]
mod prompt_files;
#[cfg(feature = "skills")]
mod skill_dirs;

use serde::Serialize;
use serde_json::Value;

use crate::action::{Error as ActionError, Flow, Prompt, PromptReply, ResourceContents};
use crate::context::TypeMap;
use crate::error::{Error, Result};
use crate::registry::Registry;

pub use builder::GenkitBuilder;

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
#[derive(Clone)]
pub struct Genkit {
    pub(crate) registry: Registry,
    pub(crate) states: TypeMap,
    #[cfg(feature = "generate")]
    pub(crate) runs: models::RunDefaults,
}

impl Default for Genkit {
    /// Genkit instance of every annotated function of the program, without state.
    fn default() -> Self {
        Self {
            registry: Registry::global().clone(),
            states: TypeMap::default(),
            #[cfg(feature = "generate")]
            runs: models::RunDefaults::default(),
        }
    }
}

impl Genkit {
    /// Builder of an instance: the program's registry unless another is given.
    pub fn builder() -> GenkitBuilder {
        GenkitBuilder::new()
    }

    /// Registry of the instance.
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
    pub async fn run_flow(&self, name: &str, input: impl Serialize) -> Result<Value> {
        self.flow(name)?.run(input).states(&self.states).await
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
        self.flow(name)?.run(input).states(&self.states).on_chunk(on_chunk).await
    }

    fn flow(&self, name: &str) -> Result<Flow> {
        self.registry.flow(name).ok_or_else(|| {
            let flows = self.registry.flows();
            unknown("flow", name, flows.iter().map(Flow::name))
        })
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
        let prompt = self.registry.prompt(name).ok_or_else(|| {
            let prompts = self.registry.prompts();
            unknown("prompt", name, prompts.iter().map(Prompt::name))
        })?;
        prompt.render(arguments).states(&self.states).await
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
        match self.registry.resource_for(uri, |_| true) {
            Some((resource, _)) => resource.read(uri).states(&self.states).await,
            None => Err(ActionError::ResourceNotFound(uri.to_owned()).into()),
        }
    }
}

fn unknown<'a>(kind: &str, name: &str, known: impl Iterator<Item = &'a str>) -> Error {
    Error::not_found(crate::suggest::unknown(kind, name, known))
}

impl std::fmt::Debug for Genkit {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        f.debug_struct("Genkit").field("registry", &self.registry).finish_non_exhaustive()
    }
}
