//! Access to rmcp's types, for features that the test client does not cover.

use rmcp::RoleClient;
use rmcp::model::{
    GetPromptRequestParams, GetPromptResult, ReadResourceRequestParams, ReadResourceResult,
};
use serde::Serialize;

use super::{Client, client_error, to_object};
use genkit_core::Result;

/// Access to the rmcp type of a listed item or of a result.
pub trait RawItem {
    /// The rmcp type.
    type Raw;

    /// Returns the item as its rmcp type.
    fn raw(&self) -> &Self::Raw;
}

/// The requests of a test [`Client`] that return rmcp types.
///
/// ```
/// use genkit::mcp::rmcp::{RawClient as _, RawItem as _};
/// use genkit::testing::Client;
/// use genkit::{Genkit, Registry, tool, tools};
///
/// /// Adds two numbers.
/// #[tool]
/// async fn add(a: i64, b: i64) -> i64 { a + b }
///
/// # #[tokio::main(flavor = "current_thread")]
/// # async fn main() -> genkit::Result<()> {
/// let genkit = Genkit::builder().registry(Registry::new().add(tools![add])).build()?;
/// let client = Client::connect(genkit.serve_mcp()).await?;
/// assert!(client.peer().peer_info().is_some());
/// assert_eq!(client.tools().await?[0].raw().name, "add");
/// # Ok(())
/// # }
/// ```
pub trait RawClient {
    /// Returns rmcp's handle to the connection, for all requests that the client does not cover.
    fn peer(&self) -> &rmcp::Peer<RoleClient>;

    /// Gets a prompt.
    ///
    /// # Errors
    /// Returns the same errors as [`Client::get_prompt`].
    fn raw_prompt(
        &self,
        name: &str,
        arguments: impl Serialize + Send,
    ) -> impl Future<Output = Result<GetPromptResult>> + Send;

    /// Reads a resource.
    ///
    /// # Errors
    /// Returns the same errors as [`Client::read_resource`].
    fn raw_resource(&self, uri: &str) -> impl Future<Output = Result<ReadResourceResult>> + Send;
}

impl RawClient for Client {
    fn peer(&self) -> &rmcp::Peer<RoleClient> {
        &self.running
    }

    async fn raw_prompt(
        &self,
        name: &str,
        arguments: impl Serialize + Send,
    ) -> Result<GetPromptResult> {
        let mut params = GetPromptRequestParams::new(name.to_owned());
        params.arguments = Some(to_object(arguments)?);
        self.running.get_prompt(params).await.map_err(client_error)
    }

    async fn raw_resource(&self, uri: &str) -> Result<ReadResourceResult> {
        self.running.read_resource(ReadResourceRequestParams::new(uri)).await.map_err(client_error)
    }
}
