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
