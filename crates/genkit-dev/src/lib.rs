//! Genkit's developer tools: the Developer UI and the CLI see and run what a program has.
//!
//! ```sh
//! genkit start -- cargo run            # the Developer UI, on http://localhost:4000
//! genkit flow:run greet '{"who": "Ann"}'
//! ```
//!
//! With the feature `dev-tools` and `GENKIT_ENV=dev`, which `genkit start` sets, serving
//! (`serve_flows()`, `serve_mcp()`) shows all actions to these tools, on this machine only. A program
//! that serves nothing ends with [`wait`], one with a server of its own calls [`start`]. Without the
//! variable nothing listens and nothing is written.
//!
//! | variable | meaning |
//! |---|---|
//! | `GENKIT_ENV` | `dev` turns it on |
//! | `GENKIT_REFLECTION_V2_SERVER` | the WebSocket to dial; `genkit` sets it where it speaks the second protocol. Without it the program listens, and writes a file into `.genkit/runtimes` |
//! | `GENKIT_REFLECTION_PORT` | where it listens. Default is the first port that is free from 3100 on |
//! | `GENKIT_RUNTIME_ID` | what the program is called there. Default is its process id and port |
//!
//! Models show up where [`GenkitBuilder`](genkit_agent::GenkitBuilder) was given them, or where they are the
//! default. Others run by their key, `/model/gemini/gemini-2.5-flash`.

#![allow(
    missing_docs,
    reason = "what is public for users is documented, which a test of `genkit` checks; the rest is for sibling crates"
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
use genkit_core::internal::shutdown::interrupted;

/// Starts Genkit's developer tools for `genkit`, where `GENKIT_ENV=dev`: they see and run its
/// actions; returns at once.
///
/// Serving does this by itself. Call it in a program with a server of its own: a router in an `axum` app,
/// a queue, a bot. It must be called inside of a `tokio` runtime, and holds until that ends. Called again,
/// it adds the actions of one more instance.
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
/// What cannot be done is told in the log, with the remedy: a program works without its tools.
pub fn start(genkit: &Instance) {
    if let Some(environment) = environment::DevEnvironment::of_process() {
        process::start(environment, genkit);
    }
}

/// Waits for Genkit's developer tools in a program that serves nothing: until Ctrl-C or SIGTERM where
/// `GENKIT_ENV=dev`, and not at all otherwise.
///
/// ```
/// use genkit::flow;
///
/// /// Greets somebody.
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
/// None now; what the tools need in the future may fail.
pub async fn wait() -> Result<()> {
    wait_with(&Instance::default()).await
}

/// Waits for Genkit's developer tools, as [`wait`] does, for an instance of your own.
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
/// As [`wait`].
pub async fn wait_with(genkit: &Instance) -> Result<()> {
    let Some(environment) = environment::DevEnvironment::of_process() else {
        tracing::info!(
            "there are no developer tools to wait for: start the program with `genkit start -- ..`, or \
             set GENKIT_ENV=dev"
        );
        return Ok(());
    };
    // Before anything is written that a signal must take away.
    let stopped = interrupted();
    process::start(environment, genkit);
    stopped.await;
    process::stop().await;
    Ok(())
}
