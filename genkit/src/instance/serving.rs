//! The servers of an instance: flows over HTTP, and MCP.

use genkit_core::internal::{BoundRegistry, OnStart};

use super::Genkit;

#[cfg(feature = "flows")]
impl Genkit {
    /// Serves the flows of this instance over HTTP; see [`serve_flows`](crate::serve_flows).
    ///
    /// ```no_run
    /// use genkit::{Genkit, Registry, flow, flows};
    ///
    /// /// Greets a person.
    /// #[flow]
    /// async fn greet(who: String) -> String { format!("hello {who}") }
    ///
    /// #[tokio::main]
    /// async fn main() -> genkit::Result<()> {
    ///     let genkit = Genkit::builder().registry(Registry::new().add(flows![greet])).build()?;
    ///     genkit.serve_flows().http("127.0.0.1:8080").await
    /// }
    /// ```
    pub fn serve_flows(&self) -> crate::flows::FlowServer {
        crate::flows::FlowServer::new(self.bound(), self.on_start())
    }
}

#[cfg(feature = "mcp-server")]
impl Genkit {
    /// Serves the tools, prompts and resources of this instance over MCP. See
    /// [`serve_mcp`](crate::serve_mcp).
    ///
    /// ```no_run
    /// use genkit::{Genkit, Registry, tool, tools};
    ///
    /// /// Adds.
    /// #[tool]
    /// async fn add(a: i64, b: i64) -> i64 { a + b }
    ///
    /// #[tokio::main]
    /// async fn main() -> genkit::Result<()> {
    ///     let genkit = Genkit::builder().registry(Registry::new().add(tools![add])).build()?;
    ///     genkit.serve_mcp().name("calculator").await
    /// }
    /// ```
    pub fn serve_mcp(&self) -> crate::mcp::McpServer {
        let served = genkit_mcp_server::internal::ServedInstance {
            bound: self.bound(),
            #[cfg(feature = "generate")]
            middleware: self.0.runs.middleware.clone(),
            on_start: self.on_start(),
            ..Default::default()
        };
        #[cfg(feature = "durable")]
        let served = {
            let (store, runs) = (self.0.runs.store.clone(), self.runs());
            let command: genkit_mcp_server::internal::OperatorCommand =
                std::sync::Arc::new(move |args| {
                    let runs = runs.clone();
                    Box::pin(async move { runs.command(args).await })
                });
            let runs_command = store.is_some().then_some(command);
            genkit_mcp_server::internal::ServedInstance { store, runs_command, ..served }
        };
        crate::mcp::McpServer::new(served)
    }
}

impl Genkit {
    /// Returns the registry and the state for a server of this instance.
    fn bound(&self) -> BoundRegistry {
        BoundRegistry { registry: self.0.registry.clone(), states: self.0.states.clone() }
    }

    /// Returns a callback that starts Genkit's developer tools when a server of this instance starts.
    #[cfg(feature = "dev-tools")]
    #[expect(
        clippy::unnecessary_wraps,
        reason = "without the developer tools there is nothing to start"
    )]
    fn on_start(&self) -> Option<OnStart> {
        let instance = self.0.clone();
        Some(std::sync::Arc::new(move |bound| {
            let mut instance = instance.clone();
            instance.bound = bound.clone();
            genkit_dev::start(&instance);
        }))
    }

    #[cfg(not(feature = "dev-tools"))]
    #[expect(clippy::unused_self, reason = "the developer tools need the instance")]
    fn on_start(&self) -> Option<OnStart> {
        None
    }
}
