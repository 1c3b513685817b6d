//! Where models come from: a provider makes them by name.

use std::sync::Arc;

use crate::error::Result;
use crate::model::Model;

/// A family of models behind one address and one key.
///
/// Give one to `Genkit::builder().provider(..)`, and its models are found by
/// `"name/model"`.
pub trait Provider: Send + Sync + 'static {
    /// The part before the first `/` of a model's name.
    fn name(&self) -> &str;

    /// The model of that name, which is what stands after the `/`. A model that is not known is
    /// made all the same: new ones come out every week.
    ///
    /// # Errors
    /// The provider cannot be used: a key is missing.
    fn model(&self, name: &str) -> Result<Arc<dyn Model>>;
}

/// Makes a provider from the environment, for one of its prefixes.
pub(crate) type FromEnv = fn(&str) -> Result<Arc<dyn Provider>>;

/// A provider of this library, as its folder describes it: known without its feature too, so that an error can name
/// that.
pub(crate) struct BuiltInProvider {
    /// The feature that it comes with.
    pub(crate) feature: &'static str,
    /// What stands before the first `/` of its models' names.
    pub(crate) prefixes: &'static [&'static str],
    /// `None` without the feature.
    pub(crate) from_env: Option<FromEnv>,
}
