//! Stubs for methods whose feature is disabled. They make the compiler name the feature, instead of
//! only reporting that the method does not exist.

use super::GenkitBuilder;

/// Never implemented. Its error explains that a folder of skills needs a feature.
#[diagnostic::on_unimplemented(
    message = "a folder of skills requires genkit's feature `skills`, which is not enabled",
    label = "not available without this feature",
    note = "enable it in Cargo.toml, under `[dependencies]`: `genkit = {{ .., features = [\"skills\"] }}`"
)]
pub trait FeatureSkills<'a> {}

genkit_core::stub_methods!(FeatureSkills for GenkitBuilder: skills_dir(P));
