//! Servers in this process, for features that the examples do not have.

use std::net::SocketAddr;
use std::sync::atomic::{AtomicBool, Ordering};
use std::time::Duration;

use axum::Router;
use genkit::mcp::McpServer;
use genkit::mcp::server::Principal;
use genkit::{Context, Genkit, Registry, tool, tools};
use tokio::net::TcpListener;
use tokio::runtime::Runtime;

/// The caller, as determined by a layer of the app.
#[derive(Clone)]
pub(super) struct Caller(pub(super) &'static str);

/// Set once [`slow`] has begun.
pub(super) static SLOW_RUNS: AtomicBool = AtomicBool::new(false);

/// Adds two numbers.
#[tool]
async fn add(a: i64, b: i64) -> i64 {
    a + b
}

/// Tells who calls.
#[tool]
async fn whoami(ctx: &Context) -> String {
    ctx.extension::<Caller>().map_or("nobody", |caller| caller.0).to_owned()
}

/// Tells what the caller may do.
#[tool]
async fn scopes(ctx: &Context) -> Vec<String> {
    ctx.extension::<Principal>().map(|caller| caller.scopes().to_vec()).unwrap_or_default()
}

/// Takes a second.
#[tool]
async fn slow() -> &'static str {
    SLOW_RUNS.store(true, Ordering::SeqCst);
    tokio::time::sleep(Duration::from_secs(1)).await;
    "finished"
}

/// Returns an MCP server that has these tools.
pub(super) fn calculator() -> McpServer {
    let registry = Registry::new().add(tools![add, whoami, scopes, slow]);
    Genkit::builder().registry(registry).build().expect("a program").serve_mcp()
}

/// A server with its own listener, stopped on drop.
pub(crate) struct Serving {
    address: SocketAddr,
    _runtime: Runtime,
}

impl Serving {
    pub(crate) fn of(server: McpServer) -> Self {
        let runtime = Runtime::new().expect("a runtime");
        let listener = std::net::TcpListener::bind("127.0.0.1:0").expect("a port");
        let address = listener.local_addr().expect("an address");
        runtime.spawn(server.listener(listener).run());
        Self { address, _runtime: runtime }
    }

    pub(crate) fn address(&self) -> SocketAddr {
        self.address
    }

    pub(crate) fn url(&self) -> String {
        format!("http://{}/mcp", self.address)
    }
}

/// An `axum` app that is served until it is dropped.
pub(super) struct Here {
    url: String,
    _runtime: Runtime,
}

impl Here {
    /// Serves an app whose endpoint is `/mcp`.
    pub(super) fn serve(app: Router) -> Self {
        let runtime = Runtime::new().expect("a runtime");
        let listener = runtime.block_on(TcpListener::bind("127.0.0.1:0")).expect("a port");
        let url = format!("http://{}/mcp", listener.local_addr().expect("an address"));
        runtime.spawn(async move { axum::serve(listener, app).await });
        Self { url, _runtime: runtime }
    }

    pub(super) fn url(&self) -> &str {
        &self.url
    }
}
