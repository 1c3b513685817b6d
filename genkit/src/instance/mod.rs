//! The Genkit instance: a registry with the state and models of its functions.

#[cfg_attr(not(feature = "durable"), path = "durable_off.rs")]
mod durable;
#[cfg(feature = "generate")]
mod generate;
#[cfg_attr(not(feature = "dotprompt"), path = "prompt_files_off.rs")]
mod prompt_files;
#[cfg(any(feature = "flows", feature = "mcp-server"))]
mod serving;
#[cfg_attr(not(feature = "skills"), path = "skill_folders_off.rs")]
mod skill_folders;

use std::ops::Deref;

#[cfg(feature = "generate")]
use genkit_agent::{Instance as Inner, InstanceBuilder as InnerBuilder};
use genkit_core::Result;
#[cfg(not(feature = "generate"))]
use genkit_core::internal::{BoundRegistry as Inner, BoundRegistryBuilder as InnerBuilder};
use serde::Serialize;
use serde_json::Value;

use crate::action::{PromptReply, ResourceContents};
use crate::{IntoActions, Registry};

/// A Genkit instance: a registry, and the state that is injected into its functions.
///
/// The free functions ([`run_flow`](crate::run_flow), `generate`) use the instance that runs the calling flow, tool or
/// prompt, with its models, its registry and its state. Elsewhere, and in tasks that such a function spawns, they use
/// the default instance, which contains every annotated function of the program and no state. Create your own instance
/// for state, for tests, or for several tenants in one process.
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
    /// Returns the instance that runs the current function, or the default instance if there is none.
    pub(crate) fn running() -> Self {
        Inner::running().map_or_else(Self::default, Self)
    }

    /// Creates a builder for an instance. It uses the program's registry unless you set another registry.
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
    /// Returns [`ErrorKind::NotFound`](crate::ErrorKind::NotFound) if the flow does not exist,
    /// [`ErrorKind::InvalidArgument`](crate::ErrorKind::InvalidArgument) if `input` does not match its schema, and any
    /// error from the flow.
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
    /// Returns the errors of [`run_flow`](Self::run_flow).
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
    /// Returns [`ErrorKind::NotFound`](crate::ErrorKind::NotFound) if the prompt does not exist, and the errors of
    /// [`Prompt::render`](crate::Prompt::render).
    pub async fn render_prompt(
        &self,
        name: &str,
        arguments: impl Serialize,
    ) -> Result<PromptReply> {
        self.0.render_prompt(name, arguments).await
    }

    /// Reads a resource of the registry: the resource whose URI or template matches `uri` best.
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
    /// Returns [`ErrorKind::NotFound`](crate::ErrorKind::NotFound) if no resource matches, and the errors of
    /// [`Resource::read`](crate::Resource::read).
    pub async fn read_resource(&self, uri: &str) -> Result<Vec<ResourceContents>> {
        self.0.read_resource(uri).await
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

/// A builder for a [`Genkit`] instance.
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
    /// Sets the registry. Default is the program's registry.
    pub fn registry(self, registry: Registry) -> Self {
        Self(self.0.registry(registry))
    }

    /// Adds actions to the given registry, or to a copy of the program's registry: `tools![..]`, `actions![..]` of
    /// several kinds, or values.
    pub fn actions(self, actions: impl IntoActions) -> Self {
        Self(self.0.actions(actions))
    }

    /// Adds state: `value` is injected into every function that takes `&T`. It replaces an earlier value of the same
    /// type.
    pub fn state<T: Send + Sync + 'static>(self, value: T) -> Self {
        Self(self.0.state(value))
    }

    /// Checks the configuration and builds the instance.
    ///
    /// # Errors
    /// Returns the errors of [`Registry::check`], an error if state that a function takes as `&T` is missing, and the
    /// errors of folders of `.prompt` files and skills.
    pub fn build(self) -> Result<Genkit> {
        self.0.build().map(Genkit)
    }
}
