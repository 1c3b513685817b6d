//! A server of this library as the resource server: the identity and the permissions of callers.

use std::net::{SocketAddr, TcpListener};

use genkit::mcp::server::{JwtVerifier, Principal, ProtectedResource};
use genkit::{Genkit, Registry, tool, tools};
use tokio::runtime::Runtime;

use super::provider::Provider;

/// Tells who calls.
#[tool(permit = "notes:read")]
async fn whoami(#[arg(extension)] user: &Principal) -> String {
    format!("{} may {}", user.id(), user.scopes().join(" "))
}

/// Writes something.
#[tool(permit = "notes:write")]
async fn write() -> &'static str {
    "written"
}

pub(crate) struct Resource {
    address: SocketAddr,
    runtime: Option<Runtime>,
}

impl Resource {
    pub(crate) fn serve(provider: &Provider) -> Self {
        let listener = TcpListener::bind("127.0.0.1:0").expect("a port");
        let address = listener.local_addr().expect("an address");
        let mut resource = Self { address, runtime: None };
        resource.run(provider, listener);
        resource
    }

    /// Restarts the server, as if in another process: without known keys and sessions.
    pub(crate) fn restart(&mut self, provider: &Provider) {
        if let Some(runtime) = self.runtime.take() {
            runtime.shutdown_background();
        }
        let bound = (0..200).find_map(|_| {
            std::thread::sleep(std::time::Duration::from_millis(25));
            TcpListener::bind(self.address).ok()
        });
        self.run(provider, bound.expect("its port again"));
    }

    pub(crate) fn url(&self) -> String {
        format!("http://{}/mcp", self.address)
    }

    fn run(&mut self, provider: &Provider, listener: TcpListener) {
        let (issuer, resource) = (provider.issuer(), self.url());
        let verifier = JwtVerifier::builder(issuer, resource.as_str()).build().expect("a verifier");
        let metadata = ProtectedResource::new(resource)
            .with_authorization_server(issuer)
            .with_scopes(["notes:read", "notes:write"])
            .with_required_scopes(["notes:read"]);
        let registry = Registry::new().add(tools![whoami, write]);
        let genkit = Genkit::builder().registry(registry).build().expect("a program");
        let server = genkit.serve_mcp().authenticate(verifier).protected_resource(metadata);
        let runtime = Runtime::new().expect("a runtime");
        runtime.spawn(server.listener(listener).run());
        self.runtime = Some(runtime);
    }
}

impl Drop for Resource {
    fn drop(&mut self) {
        if let Some(runtime) = self.runtime.take() {
            runtime.shutdown_background();
        }
    }
}
