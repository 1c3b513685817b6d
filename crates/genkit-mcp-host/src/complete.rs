//! Completion: a server's suggestions for an argument while the user types it.

use std::future::IntoFuture;
use std::sync::Arc;

use rmcp::model::Reference;

use super::catalog::Catalog;
use super::catalog::host_state::HostState;
use super::error::{Error, ServerErrorExt as _};
use super::request::methods;
use genkit_core::BoxFuture;
use genkit_core::CompleteRequest;
use genkit_core::Result;

/// A completion request for an argument of a prompt, or for a variable of a resource template. Awaiting it returns the
/// server's suggestions, best first. Created by [`McpClient::complete`](super::McpClient::complete) and
/// [`McpHost::complete`](super::McpHost::complete).
///
/// ```standalone_crate
/// use genkit::action::CompleteRequest;
/// use genkit::mcp::host::{McpClient, ServerConfig};
/// use genkit::prompt;
///
/// async fn cities(asked: CompleteRequest) -> Vec<&'static str> {
///     match asked.other("country") {
///         Some("Norway") => vec!["Oslo", "Bergen"],
///         _ => vec![],
///     }
/// }
///
/// /// A guide to a city.
/// #[prompt]
/// async fn guide(country: String, #[arg(complete = cities)] city: String) -> String {
///     format!("Write a guide to {city} in {country}.")
/// }
///
/// # #[tokio::main(flavor = "current_thread")]
/// # async fn main() -> genkit::Result<()> {
/// let client = McpClient::connect("guides", ServerConfig::in_process(genkit::serve_mcp)).await?;
/// let found = client.complete("guide", "city", "").argument("country", "Norway").await?;
/// assert_eq!(found, ["Oslo", "Bergen"]);
/// # client.close().await;
/// # Ok(())
/// # }
/// ```
#[must_use = "a completion request is not sent until it is awaited"]
pub struct Complete {
    server: Result<(Arc<Catalog>, Arc<HostState>)>,
    of: Reference,
    request: CompleteRequest,
}

impl Complete {
    pub(super) fn new(
        server: Result<(Arc<Catalog>, Arc<HostState>)>,
        of: Reference,
        argument: &str,
        typed: &str,
    ) -> Self {
        Self { server, of, request: CompleteRequest::for_argument(argument, typed) }
    }

    /// Adds the value of another argument; the suggestions may depend on it.
    pub fn argument(mut self, name: impl Into<String>, value: impl Into<String>) -> Self {
        self.request.others.insert(name.into(), value.into());
        self
    }

    /// Sends the request. Awaiting the request does the same; this `async fn` is for `tokio::spawn` and `block_on`.
    ///
    /// # Errors
    /// Returns an error if there is no such server or prompt, if the server does not support completion, or if it is
    /// unreachable.
    pub async fn run(self) -> Result<Vec<String>> {
        let Self { server, of, request } = self;
        // Keep the host alive until the response arrives.
        let (catalog, _host) = server?;
        let server = &catalog.server;
        if server.wait_connected().await?.info.capabilities.completions.is_none() {
            return Err(Error::CompletionUnsupported.for_server(&server.key));
        }
        methods::complete_argument(server, of, request).await
    }
}

genkit_core::becomes_a_future!(Complete, Result<Vec<String>>);

impl IntoFuture for Complete {
    type Output = Result<Vec<String>>;
    type IntoFuture = BoxFuture<'static, Self::Output>;

    fn into_future(self) -> Self::IntoFuture {
        Box::pin(self.run())
    }
}
