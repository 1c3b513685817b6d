//! Stubs for methods whose feature is disabled. They make the compiler name the feature, instead of
//! only reporting that the method does not exist.

use super::GenkitBuilder;

/// Never implemented. Its error explains that a folder of prompts needs a feature.
#[diagnostic::on_unimplemented(
    message = "a folder of `.prompt` files requires genkit's feature `dotprompt`, which is not enabled",
    label = "not available without this feature",
    note = "enable it in Cargo.toml, under `[dependencies]`: `genkit = {{ .., features = [\"dotprompt\"] }}`"
)]
pub trait FeatureDotprompt<'a> {}

genkit_core::stub_methods! {
    FeatureDotprompt for GenkitBuilder:
    prompts_dir(P), watch_prompts(B), schema(N, S), template_helper(N, F), template_partial(N, T)
}
