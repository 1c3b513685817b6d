//! Stubs for methods whose feature is disabled. They make the compiler name the feature, instead of
//! only reporting that the method does not exist.

use super::McpServer;

/// Never implemented. Its error explains that a method for serving over HTTP needs a feature.
#[diagnostic::on_unimplemented(
    message = "serving over HTTP requires genkit's feature `mcp-http`, which is not enabled",
    label = "not available without this feature",
    note = "enable it in Cargo.toml, under `[dependencies]`: `genkit = {{ .., features = [\"mcp-http\"] }}`"
)]
pub trait FeatureMcpHttp<'a> {}

#[doc(hidden)]
impl McpServer {
    pub fn http(self, _: impl Into<String>) -> Self
    where
        for<'never> Self: FeatureMcpHttp<'never>,
    {
        self
    }

    pub fn router(self) -> genkit_core::Result<Self>
    where
        for<'never> Self: FeatureMcpHttp<'never>,
    {
        Ok(self)
    }

    pub fn bearer_token(self, _: impl Into<String>) -> Self
    where
        for<'never> Self: FeatureMcpHttp<'never>,
    {
        self
    }

    pub fn authenticate<V>(self, _: V) -> Self
    where
        for<'never> Self: FeatureMcpHttp<'never>,
    {
        self
    }

    pub fn allowed_hosts<H>(self, _: H) -> Self
    where
        for<'never> Self: FeatureMcpHttp<'never>,
    {
        self
    }

    pub fn health(self, _: impl Into<String>) -> Self
    where
        for<'never> Self: FeatureMcpHttp<'never>,
    {
        self
    }
}
