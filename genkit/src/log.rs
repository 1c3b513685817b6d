//! Simple logging to stderr, because the stdio transport uses stdout for the protocol.

use std::io::IsTerminal as _;

use tracing_subscriber::filter::Targets;
use tracing_subscriber::fmt;
use tracing_subscriber::layer::SubscriberExt as _;

/// The filter if `RUST_LOG` is not set. `rmcp` is off because it logs message contents; genkit logs rmcp's errors.
const DEFAULT_FILTER: &str = "info,rmcp=off";

/// The filter for command-line flags that print and exit.
const ONE_SHOT_FILTER: &str = "warn,rmcp=off,genkit::audit=off";

/// Enables logging of `tracing` events to standard error, such as the actions and the address of a server, warnings and
/// audit events.
///
/// The library does not install a tracing subscriber on its own, so that you can choose your own. Without
/// a subscriber nothing is logged. Messages to the client ([`Context::log`](genkit_core::Context::log)) do not need a
/// subscriber. Call this function first in `main`. It has no effect if a subscriber is already installed.
///
/// `RUST_LOG` is read once: `RUST_LOG=debug,rmcp=error`, `RUST_LOG=warn,genkit::audit=info,rmcp=error`. Default is
/// `info,rmcp=off`; with the flags `--list`, `--call`, `--check` and `--install`, it is
/// `warn,rmcp=off,genkit::audit=off`, because these flags report their errors themselves. The output has colour if standard
/// error is a terminal and `NO_COLOR` is not set.
///
/// ```
/// genkit::log_to_stderr();
/// ```
pub fn log_to_stderr() {
    let wanted = std::env::var("RUST_LOG").ok();
    let is_one_shot = std::env::args_os()
        .any(|arg| ["--list", "--call", "--check", "--install"].iter().any(|flag| arg == *flag));
    let default = if is_one_shot { ONE_SHOT_FILTER } else { DEFAULT_FILTER };
    let filter = wanted.as_deref().unwrap_or(default).parse::<Targets>();
    let filter = filter.unwrap_or_else(|_| Targets::new().with_default(tracing::Level::INFO));
    let has_colour = std::io::stderr().is_terminal() && std::env::var_os("NO_COLOR").is_none();
    let layer = fmt::layer().with_writer(std::io::stderr).with_ansi(has_colour);
    let subscriber = tracing_subscriber::registry().with(filter).with(layer);
    // Fails if the program has already installed a subscriber.
    let _ = tracing::subscriber::set_global_default(subscriber);
}

/// Tests that serving does not install a subscriber, which needs a separate process.
///
/// ```standalone_crate
/// use genkit::{Genkit, Registry, tool, tools};
///
/// /// Adds.
/// #[tool]
/// async fn add(a: i64, b: i64) -> i64 { a + b }
///
/// # #[tokio::main(flavor = "current_thread")]
/// # async fn main() -> genkit::Result<()> {
/// let genkit = Genkit::builder().registry(Registry::new().add(tools![add])).build()?;
/// genkit.serve_mcp().http("127.0.0.1:0").shutdown(async {}).await?;
/// assert!(!tracing::dispatcher::has_been_set());
/// genkit::log_to_stderr();
/// assert!(tracing::dispatcher::has_been_set());
/// genkit::log_to_stderr(); // does nothing
/// # Ok(())
/// # }
/// ```
#[cfg(all(doctest, feature = "mcp-http"))]
struct Serving;
