//! Tracing to stderr: stdout belongs to the protocol.

use tracing_subscriber::filter::Targets;
use tracing_subscriber::fmt;
use tracing_subscriber::layer::SubscriberExt as _;

/// What is shown unless `RUST_LOG` says otherwise. rmcp writes contents at `info` and `warn`.
const DEFAULT_FILTER: &str = "info,rmcp=error";

/// Installs a subscriber that writes to stderr, unless the program has one of its own.
pub(crate) fn to_stderr() {
    let wanted = std::env::var("RUST_LOG").ok();
    let filter = wanted.as_deref().unwrap_or(DEFAULT_FILTER).parse::<Targets>();
    let filter = filter.unwrap_or_else(|_| Targets::new().with_default(tracing::Level::INFO));
    let layer = fmt::layer().with_writer(std::io::stderr).with_ansi(false);
    let subscriber = tracing_subscriber::registry().with(filter).with(layer);
    // A program that has its own keeps it.
    let _ = tracing::subscriber::set_global_default(subscriber);
}
