//! Logging to stderr, for programs that want no more of it: stdout belongs to the protocol.

use tracing_subscriber::filter::Targets;
use tracing_subscriber::fmt;
use tracing_subscriber::layer::SubscriberExt as _;

/// What is shown unless `RUST_LOG` is set. rmcp writes contents at `info` and `warn`.
const DEFAULT_FILTER: &str = "info,rmcp=error";

/// Logging to standard error of what is traced: what a server serves and where it listens,
/// warnings, audit events.
///
/// The library installs no tracing subscriber by itself, so that yours is the only one. Without
/// one nothing is logged; messages to the client ([`Context::log`](genkit_core::Context::log)) are sent
/// either way. Call this first in `main`; where a subscriber is set already it does nothing.
///
/// `RUST_LOG` is read once: `RUST_LOG=debug`, `RUST_LOG=warn,genkit::audit=info`. Default is
/// `info,rmcp=error`.
///
/// ```
/// genkit::log_to_stderr();
/// ```
pub fn log_to_stderr() {
    let wanted = std::env::var("RUST_LOG").ok();
    let filter = wanted.as_deref().unwrap_or(DEFAULT_FILTER).parse::<Targets>();
    let filter = filter.unwrap_or_else(|_| Targets::new().with_default(tracing::Level::INFO));
    let layer = fmt::layer().with_writer(std::io::stderr).with_ansi(false);
    let subscriber = tracing_subscriber::registry().with(filter).with(layer);
    // An error is a subscriber that the program has set.
    let _ = tracing::subscriber::set_global_default(subscriber);
}

/// Serving leaves the choice to the program; a test of its own process.
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
