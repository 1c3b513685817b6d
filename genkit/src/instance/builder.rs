//! The builder of a Genkit instance: registry and state.

use super::Genkit;
#[cfg(feature = "generate")]
use super::models::RunDefaults;
use crate::context::TypeMap;
use crate::error::Result;
#[cfg(feature = "dotprompt")]
use crate::prompts_dir::PromptFiles;
use crate::registry::{IntoActions, Registry};

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
    pub(super) registry: Option<Registry>,
    states: TypeMap,
    #[cfg(feature = "generate")]
    pub(super) runs: RunDefaults,
    #[cfg(feature = "dotprompt")]
    pub(super) prompts: PromptFiles,
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
        }
    }

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

    /// Checks the whole and ends the making.
    ///
    /// # Errors
    /// As [`Registry::check`]; also if a function takes a `&T` that was not given, and all mistakes of
    /// `.prompt` files.
    pub fn build(self) -> Result<Genkit> {
        #[cfg(feature = "dotprompt")]
        let this = self.with_prompt_files()?;
        #[cfg(not(feature = "dotprompt"))]
        let this = self;
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
