//! Stubs for methods whose feature is disabled. With them, the compiler error names the feature,
//! instead of only reporting that the method does not exist.

use super::McpServer;

/// Never implemented. Its error explains that a proxy needs a feature.
#[diagnostic::on_unimplemented(
    message = "a proxy of other servers requires genkit's feature `mcp-host`, which is not enabled",
    label = "not available without this feature",
    note = "enable it in Cargo.toml, under `[dependencies]`: `genkit = {{ .., features = [\"mcp-host\"] }}`"
)]
pub trait FeatureMcpHost<'a> {}

genkit_core::stub_methods!(FeatureMcpHost for McpServer: host(H));
