//! Servers of this library as seen by an `McpHost`, in memory and in both eras.

mod actions;
mod apps;
mod changes;
mod clients;
mod floods;
pub(crate) mod hostile;
mod lazy;
mod lifecycle;
mod logs;
mod proxy;
mod questions;
mod reconnect;
mod results;
mod talk;

use genkit::mcp::McpServer;
use genkit::mcp::host::{CustomTransport, McpHost, ProtocolEra, ServerConfig};
use genkit::{Action, Genkit, Registry};

const ERAS: [ProtocolEra; 2] = [ProtocolEra::Sessions, ProtocolEra::Stateless];

/// Returns a registry with only these actions.
fn registry<A: Into<Action>>(actions: impl IntoIterator<Item = A>) -> Registry {
    Registry::new().add(actions)
}

/// Returns a server over `registry`, created for each connection.
fn server(registry: &Registry) -> CustomTransport {
    served(registry, |server| server)
}

fn served(
    registry: &Registry,
    with: impl Fn(McpServer) -> McpServer + Send + Sync + 'static,
) -> CustomTransport {
    let genkit = Genkit::builder().registry(registry.clone()).build().unwrap();
    ServerConfig::in_process(move || with(genkit.serve_mcp()))
}

/// Returns a host of one server, `s`.
fn host(server: CustomTransport) -> McpHost {
    McpHost::builder().server("s", server).build().unwrap()
}

/// Waits until `done`, for a time that no operation here should need.
async fn until(what: &str, mut done: impl AsyncFnMut() -> bool) {
    for _ in 0..1000 {
        if done().await {
            return;
        }
        tokio::time::sleep(std::time::Duration::from_millis(10)).await;
    }
    panic!("{what} did not come");
}
