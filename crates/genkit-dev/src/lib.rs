//! Genkit's developer tools: the Developer UI and the CLI list and run the actions of a program.
//!
//! ```sh
//! genkit start -- cargo run            # the Developer UI, on http://localhost:4000
//! genkit flow:run greet '{"who": "Ann"}'
//! ```
//!
//! With the feature `dev-tools` and `GENKIT_ENV=dev`, which `genkit start` sets, a server (`serve_flows()`,
//! `serve_mcp()`) makes all actions available to these tools, on this machine only. A program without a server calls
//! [`wait`] at its end; a program with its own server calls [`start`]. Without the variable, the program does not
//! listen and writes no files.
//!
//! | variable | meaning |
//! |---|---|
//! | `GENKIT_ENV` | `dev` enables the developer tools |
//! | `GENKIT_REFLECTION_V2_SERVER` | the WebSocket URL to connect to; set by the `genkit` CLI if it uses version 2 of the reflection protocol. Without it, the program listens on a port and writes a file to `.genkit/runtimes` |
//! | `GENKIT_REFLECTION_PORT` | the port to listen on. Default is the first free port from 3100 |
//! | `GENKIT_RUNTIME_ID` | the id of the program in the tools. Default is its process id, followed by its port if it listens on one |
//!
//! Models are listed if they were passed to `GenkitBuilder`, or if they are the default
//! model. Other models can be run by their key, such as `/model/gemini/gemini-2.5-flash`.

#![allow(
    missing_docs,
    reason = "items that `genkit` re-exports are documented, which a test of `genkit` checks; the rest is internal to the workspace"
)]

mod actions;
mod environment;
mod error;
mod export;
mod http;
mod identity;
mod process;
mod websocket;

use genkit_agent::Instance;
use genkit_core::Result;
use genkit_core::internal::shutdown::wait_for_signal;

/// Starts Genkit's developer tools for `genkit` if `GENKIT_ENV=dev`, so that they can list and run its actions. Returns
/// immediately.
///
/// `serve_flows` and `serve_mcp` call this automatically. Call it in a program that does not use these servers, such as
/// an `axum` app, a queue worker or a bot. Must be called inside a `tokio` runtime. The tools run until that runtime
/// shuts down. Further calls add the actions of other instances.
///
/// ```
/// #[tokio::main]
/// async fn main() -> genkit::Result<()> {
///     genkit::dev::start(&genkit::Genkit::default());
///     // … serve as you like …
///     Ok(())
/// }
/// ```
///
/// Errors are only logged, because the program also works without the developer tools.
pub fn start(genkit: &Instance) {
    if let Some(environment) = environment::DevEnvironment::from_process() {
        process::start(environment, genkit);
    }
}

/// Keeps a program without a server available to Genkit's developer tools. If `GENKIT_ENV=dev`, waits until Ctrl-C or
/// SIGTERM; otherwise returns immediately.
///
/// ```
/// use genkit::flow;
///
/// /// Greets a person.
/// #[flow]
/// async fn greet(who: String) -> String {
///     format!("hello {who}")
/// }
///
/// #[tokio::main]
/// async fn main() -> genkit::Result<()> {
///     genkit::dev::wait().await // `genkit start -- cargo run`
/// }
/// ```
///
/// # Errors
/// Currently never returns an error. The `Result` is reserved for future versions.
pub async fn wait() -> Result<()> {
    wait_with(&Instance::default()).await
}

/// Waits for Genkit's developer tools, like [`wait`], with a custom instance.
///
/// ```
/// use genkit::{Genkit, testing::ScriptedModel};
///
/// #[tokio::main]
/// async fn main() -> genkit::Result<()> {
///     let genkit = Genkit::builder()
/// #       .registry(genkit::Registry::new())
///         .default_model(ScriptedModel::text("hello"))
///         .build()?;
///     genkit::dev::wait_with(&genkit).await
/// }
/// ```
///
/// # Errors
/// See [`wait`].
pub async fn wait_with(genkit: &Instance) -> Result<()> {
    let Some(environment) = environment::DevEnvironment::from_process() else {
        tracing::info!(
            "the developer tools are disabled; start the program with `genkit start -- ..`, or \
             set GENKIT_ENV=dev"
        );
        return Ok(());
    };
    // Listen for signals first, because the shutdown must remove the files that are written next.
    let stopped = wait_for_signal();
    process::start(environment, genkit);
    stopped.await;
    process::stop_tools().await;
    Ok(())
}
