mod access;
mod addresses;
mod assertion;
mod browser;
mod client_credentials;
mod credential_store;
mod ending;
mod endpoint;
mod fake;
mod faults;
mod renewal;
mod requests;

use rmcp::model::{
    ClientCapabilities, ClientConfig, ClientRequest, Implementation, ListToolsRequest,
    ProtocolVersion,
};
use rmcp::service::{ClientInitializeError, RunningService, ServiceError};
use rmcp::{ClientLifecycleMode, ClientServiceExt, RoleClient};

use super::failure::Fault;
use super::{Connector, HttpServer, explain};

type Client = RunningService<RoleClient, ClientConfig>;

fn connector(server: &HttpServer) -> Connector {
    Connector::new("docs", &server.endpoint, tokio::sync::watch::Sender::default()).unwrap()
}

async fn open(connector: &Connector) -> Result<Client, ClientInitializeError> {
    let name = Implementation::new("test", "1");
    let config = ClientConfig::new(ClientCapabilities::default(), name)
        .with_protocol_version(ProtocolVersion::LATEST_WITH_INITIALIZE);
    config.serve_with_lifecycle(connector.transport(), ClientLifecycleMode::Initialize).await
}

/// Why the server cannot be reached.
async fn fault(server: HttpServer) -> Fault {
    let error = open(&connector(&server)).await.map(drop).unwrap_err();
    explain(&error).unwrap_or_else(|| panic!("nothing explains {error:?}"))
}

async fn list(client: &Client) -> Result<(), ServiceError> {
    let request = ClientRequest::ListToolsRequest(ListToolsRequest::default());
    client.send_request(request).await.map(drop)
}
