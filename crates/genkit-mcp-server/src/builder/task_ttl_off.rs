//! Stubs for methods whose feature is disabled. With them, the compiler error names the feature,
//! instead of only reporting that the method does not exist.

use super::McpServer;

/// Never implemented. Its error explains that the lifetime of tasks needs a feature.
#[diagnostic::on_unimplemented(
    message = "the lifetime of tasks requires genkit's feature `durable`, which is not enabled",
    label = "not available without this feature",
    note = "enable it in Cargo.toml, under `[dependencies]`: `genkit = {{ .., features = [\"durable\"] }}`"
)]
pub trait FeatureDurable<'a> {}

genkit_core::stub_methods!(FeatureDurable for McpServer: task_ttl(D));
