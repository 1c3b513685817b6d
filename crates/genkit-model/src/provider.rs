//! Where models come from: a provider makes them by name.

use std::sync::Arc;

use crate::{Embedder, Model};
use genkit_core::{Error, ErrorKind, Result};

/// Model provider: a family of models behind one address and one key.
///
/// Give one to `Genkit::builder().provider(..)`, and its models are found by `"name/model"`. For a
/// server that speaks OpenAI's chat completions nothing is to be implemented:
/// `OpenAi::builder().base_url("http://localhost:4000/v1").name("house").build()?` is one.
///
/// ```
/// use std::sync::Arc;
///
/// use genkit::model::{self, Model, Provider};
/// use genkit::{Error, Genkit, Registry, Result};
///
/// /// A service of your own, with one key for all of its models.
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
///             return Err(Error::invalid_argument("house: there is no key"));
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
    note = "a builder becomes a provider with `.build()?`; one model is given with `.model(..)`"
)]
pub trait Provider: Send + Sync + 'static {
    /// Name: the part before the first `/` of a model's name.
    fn name(&self) -> &str;

    /// Model of that name, which is what stands after the `/`. A model that is not known is made
    /// all the same: new ones come out every week.
    ///
    /// # Errors
    /// The provider cannot be used: a key is missing.
    fn model(&self, name: &str) -> Result<Arc<dyn Model>>;

    /// Embedder of that name, which is what stands after the `/`. Default is that there are none.
    ///
    /// # Errors
    /// The provider has no embedders, or cannot be used.
    fn embedder(&self, name: &str) -> Result<Arc<dyn Embedder>> {
        let provider = self.name();
        let text = format!(
            "`{provider}` has no embedders, and so no `{provider}/{name}`: `gemini/..`, `openai/..` and `ollama/..` have some"
        );
        Err(Error::new(ErrorKind::Unimplemented, text))
    }
}

/// Makes a provider from the environment, for one of its prefixes.
pub type FromEnv = fn(&str) -> Result<Arc<dyn Provider>>;

/// A provider that a crate registers with `inventory`, so that its models are found by name.
pub struct LinkedProvider {
    /// The feature of genkit that brings it.
    pub feature: &'static str,
    /// The parts before the first `/` in the names of its models.
    pub prefixes: &'static [&'static str],
    /// Makes the provider for a prefix.
    pub from_env: FromEnv,
}

inventory::collect!(LinkedProvider);
