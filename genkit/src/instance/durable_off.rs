//! Stubs for methods whose feature is disabled. They make the compiler name the feature, instead of
//! only reporting that the method does not exist.

use genkit_core::{BoxFuture, Result};

use super::{Genkit, GenkitBuilder};

/// Never implemented. Its error explains that a durable run needs a feature.
#[diagnostic::on_unimplemented(
    message = "a durable run requires genkit's feature `durable`, which is not enabled",
    label = "not available without this feature",
    note = "enable it in Cargo.toml, under `[dependencies]`: `genkit = {{ .., features = [\"durable\"] }}`"
)]
pub trait FeatureDurable<'a> {}

genkit_core::stub_methods!(FeatureDurable for GenkitBuilder: durable(S));

#[doc(hidden)]
impl Genkit {
    pub fn durable_run<I, R>(&self, _: I, _: R) -> BoxFuture<'static, Result<()>>
    where
        for<'never> Self: FeatureDurable<'never>,
    {
        Box::pin(async { Ok(()) })
    }

    pub fn durable_flow<I, F, V>(&self, _: I, _: F, _: V) -> BoxFuture<'static, Result<()>>
    where
        for<'never> Self: FeatureDurable<'never>,
    {
        Box::pin(async { Ok(()) })
    }
}
