//! Stubs for methods whose feature is disabled. With them, the compiler error names the feature,
//! instead of only reporting that the method does not exist.

use super::McpServer;

/// Never implemented. Its error explains that serving over HTTP needs a feature.
#[diagnostic::on_unimplemented(
    message = "serving over HTTP requires genkit's feature `mcp-http`, which is not enabled",
    label = "not available without this feature",
    note = "enable it in Cargo.toml, under `[dependencies]`: `genkit = {{ .., features = [\"mcp-http\"] }}`"
)]
pub trait FeatureMcpHttp<'a> {}

genkit_core::stub_methods! {
    FeatureMcpHttp for McpServer:
    http(A), listener(L), unix_listener(L), accept_with(F), on_listening(F), bearer_token(T), authenticate(V),
    protected_resource(R), allowed_hosts(H), allowed_origins(O), client_address_from(H), health(P), ready_when(F),
    max_sessions(N), session_timeout(D), session_store(S), stateless(B)
}

#[doc(hidden)]
impl McpServer {
    pub fn router(self) -> genkit_core::Result<Self>
    where
        for<'never> Self: FeatureMcpHttp<'never>,
    {
        Ok(self)
    }
}
