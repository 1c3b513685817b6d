//! Methods of features that are off, which say so: else the compiler says only that there is no such method.

use super::McpServer;

/// Never holds: what serves over HTTP is called without the feature for it.
#[cfg(not(feature = "http"))]
#[diagnostic::on_unimplemented(
    message = "serving over HTTP needs the feature `mcp-http` of genkit, which is off",
    label = "it is there with this feature",
    note = "in Cargo.toml, under `[dependencies]`: `genkit = {{ .., features = [\"mcp-http\"] }}`"
)]
pub trait FeatureMcpHttp<'a> {}

/// Never holds: the command line is asked for without the feature for it.
#[cfg(not(feature = "cli"))]
#[diagnostic::on_unimplemented(
    message = "a command line needs the feature `cli` of genkit, which is off",
    label = "it is there with this feature",
    note = "in Cargo.toml, under `[dependencies]`: `genkit = {{ .., features = [\"cli\"] }}`"
)]
pub trait FeatureCli<'a> {}

#[cfg(not(feature = "http"))]
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

#[cfg(not(feature = "cli"))]
#[doc(hidden)]
impl McpServer {
    pub fn cli(self) -> Self
    where
        for<'never> Self: FeatureCli<'never>,
    {
        self
    }
}
