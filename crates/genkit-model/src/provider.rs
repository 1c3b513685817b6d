//! Providers, which create models by name.

use std::sync::Arc;

use crate::{Embedder, Model};
use genkit_core::{Error, ErrorKind, Result};

/// A provider of models: a family of models that share a base URL and an API key.
///
/// Register a provider with `Genkit::builder().provider(..)` to refer to its models as `"name/model"`.
/// For a server with OpenAI's chat completions API, you do not need to implement this trait:
/// `OpenAi::builder().base_url("http://localhost:4000/v1").name("house").build()?` is a provider.
///
/// ```
/// use std::sync::Arc;
///
/// use genkit::model::{self, Model, Provider};
/// use genkit::{Error, Genkit, Registry, Result};
///
/// /// A custom service with one API key for all of its models.
/// struct House {
///     key: String,
/// }
///
/// impl Provider for House {
///     fn name(&self) -> &str {
///         "house"
///     }
///
///     fn model(&self, name: &str) -> Result<Arc<dyn Model>> {
///         if self.key.is_empty() {
///             return Err(Error::invalid_argument("house: the API key is empty"));
///         }
///         let (name, key) = (format!("house/{name}"), self.key.clone());
///         Ok(Arc::new(model::from_fn(name, move |request, _| {
///             let key = key.clone();
///             async move { format!("{} message, with the key {key}", request.messages.len()) }
///         })))
///     }
/// }
///
/// # #[tokio::main(flavor = "current_thread")]
/// # async fn main() -> Result<()> {
/// let house = House { key: "k1".to_owned() };
/// let genkit = Genkit::builder().registry(Registry::new()).provider(house).build()?;
/// let response = genkit.generate("hello").model("house/small").await?;
/// assert_eq!(response.text(), "1 message, with the key k1");
/// # Ok(())
/// # }
/// ```
#[diagnostic::on_unimplemented(
    message = "`{Self}` is not a provider of models",
    label = "does not implement `genkit::model::Provider`",
    note = "call `.build()?` to turn a builder into a provider; pass a single model to `.model(..)`"
)]
pub trait Provider: Send + Sync + 'static {
    /// Returns the name of the provider, which is the part of a model's name before the first `/`.
    fn name(&self) -> &str;

    /// Creates the model with this name. `name` excludes the provider: for `gemini/gemini-2.5-flash` it is
    /// `gemini-2.5-flash`. Unknown names are accepted, because new models are released frequently.
    ///
    /// # Errors
    /// Returns an error if the provider cannot be used, for example because its API key is missing.
    fn model(&self, name: &str) -> Result<Arc<dyn Model>>;

    /// Creates the embedder with this name, which is the part after the first `/`.
    ///
    /// # Errors
    /// Returns an error if the provider has no embedders, which is the default, or if it cannot be
    /// used.
    fn embedder(&self, name: &str) -> Result<Arc<dyn Embedder>> {
        let provider = self.name();
        let text = format!(
            "`{provider}` has no embedders, so `{provider}/{name}` does not exist; use one of `gemini/..`, `openai/..` or `ollama/..`"
        );
        Err(Error::new(ErrorKind::Unimplemented, text))
    }
}

/// A function that creates a provider from environment variables, for one of its prefixes.
pub type FromEnv = fn(&str) -> Result<Arc<dyn Provider>>;

/// A provider that a crate registers with `inventory`, so that its models are found by name.
pub struct LinkedProvider {
    /// The feature of genkit that enables the provider.
    pub feature: &'static str,
    /// The parts before the first `/` in the names of its models.
    pub prefixes: &'static [&'static str],
    /// Creates the provider for a prefix.
    pub from_env: FromEnv,
}

inventory::collect!(LinkedProvider);
