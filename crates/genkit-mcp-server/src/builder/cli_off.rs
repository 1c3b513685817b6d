//! Stubs for methods whose feature is disabled. With them, the compiler error names the feature,
//! instead of only reporting that the method does not exist.

use super::McpServer;

/// Never implemented. Its error explains that the command line needs a feature.
#[diagnostic::on_unimplemented(
    message = "the command line requires genkit's feature `cli`, which is not enabled",
    label = "not available without this feature",
    note = "enable it in Cargo.toml, under `[dependencies]`: `genkit = {{ .., features = [\"cli\"] }}`"
)]
pub trait FeatureCli<'a> {}

genkit_core::stub_methods!(FeatureCli for McpServer: cli());
