//! The builder of a client of one server.

use std::time::Duration;

use serde_json::Value;

use crate::builder::McpHostBuilder;
use crate::client::McpClient;
use crate::config::ServerConfig;
use crate::event::McpEvent;
use crate::input::elicit::ElicitRequest;
use crate::input::sampling::Sampling;
use crate::mcp_host::McpHost;
use genkit_core::{Elicited, Result, Root};

/// A builder of an [`McpClient`], with the settings of a host that apply to one server.
///
/// ```standalone_crate
/// use genkit::Elicited;
/// use genkit::mcp::host::{ElicitRequest, McpClient, ServerConfig};
/// use genkit::tool;
/// use serde_json::json;
///
/// /// Adds two numbers.
/// #[tool]
/// async fn add(a: i64, b: i64) -> i64 { a + b }
///
/// # #[tokio::main(flavor = "current_thread")]
/// # async fn main() -> genkit::Result<()> {
/// let client = McpClient::builder("sums")
///     .name("editor")
///     .version("2.1.0")
///     .roots(["file:///srv/project"])
///     .on_elicit(|asked: ElicitRequest| async move { asked.accept_defaults() })
///     .namespaced(true)
///     .connect(ServerConfig::in_process(genkit::serve_mcp))
///     .await?;
/// assert_eq!(client.tools().await?[0].name(), "sums/add");
/// assert_eq!(client.call_tool("sums/add", json!({"a": 2, "b": 3})).await?, 5);
/// # client.close().await;
/// # Ok(())
/// # }
/// ```
#[must_use = "a builder does nothing until `.connect(server)`"]
pub struct McpClientBuilder {
    key: String,
    host: McpHostBuilder,
    namespaced: bool,
}

impl McpClient {
    /// Returns a builder of a client of one server, under `key`. Use it to set the program's name, an elicitation
    /// handler or roots; [`McpClient::connect`] uses the defaults.
    pub fn builder(key: impl Into<String>) -> McpClientBuilder {
        McpClientBuilder { key: key.into(), host: McpHost::builder(), namespaced: false }
    }
}

impl McpClientBuilder {
    /// Sets the name under which this program identifies itself to the server. Default is `genkit-mcp`.
    pub fn name(self, name: impl Into<String>) -> Self {
        self.with_host(|host| host.name(name))
    }

    /// Sets the version that this program reports to the server. Default is `1.0.0`.
    pub fn version(self, version: impl Into<String>) -> Self {
        self.with_host(|host| host.version(version))
    }

    /// Sets the model that the server may use (sampling). Default is none.
    pub fn sampling(self, sampling: Sampling) -> Self {
        self.with_host(|host| host.sampling(sampling))
    }

    /// Sets the elicitation handler; see [`McpHostBuilder::on_elicit`].
    pub fn on_elicit<F, Fut>(self, handler: F) -> Self
    where
        F: Fn(ElicitRequest) -> Fut + Send + Sync + 'static,
        Fut: Future<Output = Elicited<Value>> + Send + 'static,
    {
        self.with_host(|host| host.on_elicit(handler))
    }

    /// Sets the handler of server events; see [`McpHostBuilder::on_event`].
    pub fn on_event(self, handler: impl Fn(&McpEvent) + Send + Sync + 'static) -> Self {
        self.with_host(|host| host.on_event(handler))
    }

    /// Sets the roots (folders) that the server may work in: paths, URIs, or named [`Root`]s.
    pub fn roots(self, roots: impl IntoIterator<Item = impl Into<Root>>) -> Self {
        self.with_host(|host| host.roots(roots))
    }

    /// Sets the request timeout, the longest time without a response or progress. Default is 60 seconds.
    pub fn timeout(self, limit: Duration) -> Self {
        self.with_host(|host| host.timeout(limit))
    }

    /// Sets whether the names of tools, prompts and resources start with the key of the client, `key/name`, as in a
    /// host. Several clients can then be used in one run. Default is `false`.
    pub fn namespaced(mut self, yes: bool) -> Self {
        self.namespaced = yes;
        self
    }

    /// Connects to the server. A disabled server is not started until [`McpClient::enable`] is called.
    ///
    /// # Errors
    /// Returns an error if the server cannot be connected, if the key is invalid, or if the model for sampling is
    /// unknown.
    pub async fn connect(self, server: impl Into<ServerConfig>) -> Result<McpClient> {
        let Self { key, host, namespaced } = self;
        let client = host.server(key.clone(), server).build()?.client(&key)?;
        if !client.catalog.server.config.controls.disabled {
            client.ready().await?;
        }
        Ok(McpClient { namespaced, ..client })
    }

    fn with_host(mut self, set: impl FnOnce(McpHostBuilder) -> McpHostBuilder) -> Self {
        self.host = set(self.host);
        self
    }
}
