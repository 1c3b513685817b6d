//! The clients: the host, and rmcp alone.

use std::process::Stdio;
use std::sync::Arc;

use genkit::mcp::host::{McpClient, ProtocolEra, ServerConfig, StdioTransport};
use genkit::mcp::rmcp::model::CallToolRequestParams;
use genkit::mcp::rmcp::service::{RoleClient, RunningService, ServiceExt as _};
use genkit::serde_json::{Value, json};
use tokio::process::{Child, Command};

use super::servers;

/// The number of bytes that one side may write before the other reads, as in the host.
const PIPE_BYTES: usize = 64 * 1024;

/// Where the server runs.
#[derive(Clone, Copy, PartialEq)]
pub(crate) enum Place {
    Stdio,
    InProcess,
}

impl Place {
    pub(crate) fn title(self) -> &'static str {
        match self {
            Self::Stdio => "stdio",
            Self::InProcess => "in process",
        }
    }
}

/// A client with its own server.
#[derive(Clone)]
pub(crate) enum Client {
    Host(McpClient),
    Rmcp(Arc<Bare>),
}

/// rmcp's own client, without a host around it.
pub(crate) struct Bare {
    running: RunningService<RoleClient, ()>,
    /// The child process, killed on drop.
    _child: Option<Child>,
}

impl Client {
    pub(crate) async fn host(place: Place, era: ProtocolEra) -> Self {
        let client = match place {
            Place::Stdio => {
                let server = child().env("RUST_LOG", "off").protocol(era);
                McpClient::connect("add", server).await
            }
            Place::InProcess => {
                let genkit = servers::genkit();
                let server = ServerConfig::in_process(move || genkit.serve_mcp()).protocol(era);
                McpClient::connect("add", server).await
            }
        };
        Self::Host(client.unwrap())
    }

    pub(crate) async fn rmcp(place: Place) -> Self {
        let bare = match place {
            Place::Stdio => {
                let mut child = Command::new(std::env::current_exe().unwrap())
                    .args(["--serve", "add"])
                    .env("RUST_LOG", "off")
                    .stdin(Stdio::piped())
                    .stdout(Stdio::piped())
                    .kill_on_drop(true)
                    .spawn()
                    .unwrap();
                let pipes = (child.stdout.take().unwrap(), child.stdin.take().unwrap());
                Bare { running: ().serve(pipes).await.unwrap(), _child: Some(child) }
            }
            Place::InProcess => {
                let (ours, theirs) = tokio::io::duplex(PIPE_BYTES);
                let (read, write) = tokio::io::split(theirs);
                tokio::spawn(servers::genkit().serve_mcp().serve(read, write));
                Bare { running: ().serve(ours).await.unwrap(), _child: None }
            }
        };
        Self::Rmcp(Arc::new(bare))
    }

    /// Calls `add`, and checks the result.
    pub(crate) async fn add(&self, a: usize) {
        let Value::Object(arguments) = json!({"a": a, "b": 2}) else { unreachable!() };
        match self {
            Self::Host(client) => {
                let sum = client.call_tool("add", arguments).await.unwrap();
                assert_eq!(sum.as_str().map(str::len), Some((a + 2).to_string().len()));
            }
            Self::Rmcp(bare) => {
                let mut params = CallToolRequestParams::new("add");
                params.arguments = Some(arguments);
                let answer = bare.running.call_tool(params).await.unwrap();
                let sum = &answer.content[0].as_text().unwrap().text;
                assert_eq!(sum.len(), (a + 2).to_string().len());
            }
        }
    }

    pub(crate) async fn close(self) {
        if let Self::Host(client) = self {
            client.close().await;
        }
    }
}

/// Starts this program again, as a server.
pub(crate) fn child() -> StdioTransport {
    ServerConfig::stdio(std::env::current_exe().unwrap()).args(["--serve", "add"])
}
