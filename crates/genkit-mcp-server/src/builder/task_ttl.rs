//! The lifetime of tasks.

use std::time::Duration;

use super::McpServer;

impl McpServer {
    /// Sets the lifetime of tasks: the time from creation to removal, even of unfinished tasks. Default is 1 day.
    ///
    /// A call to a tool with `#[tool(task)]` becomes a task once it has run for 1 second, if the client declares MCP's
    /// extension `io.modelcontextprotocol/tasks` in the request. The client then receives an id, polls the task,
    /// answers its questions, and can cancel it. A call that finishes or asks a question within that second receives an
    /// ordinary response, and clients without the extension wait for the result.
    ///
    /// Tasks are saved in the store of `GenkitBuilder::durable`. After a restart, the function of a task runs again
    /// from the beginning, but the steps that it performed with [`Context::once`](genkit_core::Context::once) are not
    /// repeated. Every server that uses the store serves these tasks, but serves each task only to the principal that
    /// made the call. Without a store, up to 1,000 tasks are held in memory and are lost when the process exits.
    ///
    /// A task stores the principal of its call, the arguments and `_meta`. Other values that HTTP layers
    /// attached to the request are not available after the task is resumed. The time limit of a task is the
    /// `timeout` of its tool, or else its lifetime.
    ///
    /// ```
    /// use genkit::{Context, Genkit, Registry, tool, tools};
    /// use std::time::Duration;
    ///
    /// /// Counts all files.
    /// #[tool(task)]
    /// async fn count(ctx: &Context) -> u64 {
    ///     for folder in 0..3 {
    ///         ctx.progress((f64::from(folder), 3.0)).await; // the task's message: "1 of 3"
    ///     }
    ///     3
    /// }
    ///
    /// # fn main() -> genkit::Result<()> {
    /// let genkit = Genkit::builder().registry(Registry::new().add(tools![count])).build()?;
    /// let server = genkit.serve_mcp().task_ttl(Duration::from_secs(3600));
    /// # let _ = server;
    /// # Ok(())
    /// # }
    /// ```
    pub fn task_ttl(mut self, time: Duration) -> Self {
        self.settings.task_ttl = time;
        self
    }
}
