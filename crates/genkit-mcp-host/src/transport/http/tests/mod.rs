mod bounds;
mod ending;
mod endpoint;
pub(crate) mod fake;
mod faults;
mod network;
mod requests;

use rmcp::model::{
    ClientCapabilities, ClientConfig, ClientRequest, Implementation, ListToolsRequest,
    ProtocolVersion,
};
use rmcp::service::{ClientInitializeError, RunningService, ServiceError};
use rmcp::{ClientLifecycleMode, ClientServiceExt, RoleClient};

use super::Connector;
pub(crate) use super::explain_error;
use crate::config::HttpTransport;
use crate::transport::http_client::explain::Explanation;

pub(crate) type Client = RunningService<RoleClient, ClientConfig>;

pub(crate) fn connector(server: &HttpTransport) -> Connector {
    Connector::new(
        "docs",
        &server.endpoint,
        tokio::sync::watch::Sender::default(),
        server.endpoint.build_redactor(),
    )
    .unwrap()
}

pub(crate) async fn open(connector: &Connector) -> Result<Client, ClientInitializeError> {
    let name = Implementation::new("test", "1");
    let config = ClientConfig::new(ClientCapabilities::default(), name)
        .with_protocol_version(ProtocolVersion::LATEST_WITH_INITIALIZE);
    config.serve_with_lifecycle(connector.open_transport(), ClientLifecycleMode::Initialize).await
}

/// Returns the reason why the server cannot be reached.
pub(crate) async fn fault(server: HttpTransport) -> Explanation {
    let error = open(&connector(&server)).await.map(drop).unwrap_err();
    explain_error(&error).unwrap_or_else(|| panic!("nothing explains {error:?}"))
}

pub(crate) async fn list(client: &Client) -> Result<(), ServiceError> {
    let request = ClientRequest::ListToolsRequest(ListToolsRequest::default());
    client.send_request(request).await.map(drop)
}
