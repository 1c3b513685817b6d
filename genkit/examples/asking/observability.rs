//! Prints the spans of a run: the guide page `observability`.

#![allow(clippy::print_stdout, clippy::print_stderr, reason = "a command-line program")]

use genkit::{Result, tool, tools};
use tracing_subscriber::fmt::{self, format::FmtSpan};
use tracing_subscriber::layer::SubscriberExt as _;
use tracing_subscriber::{Layer as _, filter::Targets, util::SubscriberInitExt as _};

/// Looks up the price of a share.
#[tool(read_only)]
async fn share_price(symbol: String) -> f64 {
    tracing::info!(symbol, "looked up"); // inside the span of the call
    42.5
}

#[tokio::main]
async fn main() -> Result<()> {
    // `rmcp` logs message contents at `info`, so limit it to `error`.
    let filter = Targets::new()
        .with_default(tracing::Level::INFO)
        .with_target("rmcp", tracing::Level::ERROR);
    let spans = fmt::layer()
        .with_writer(std::io::stderr) // standard output is reserved for the protocol
        .with_span_events(FmtSpan::CLOSE) // one line with the duration of each span
        .with_filter(filter);
    tracing_subscriber::registry().with(spans).init(); // add other layers here

    let answer = genkit::generate("What does a share of ACME cost?")
        .model("gemini/gemini-2.5-flash")
        .tools(tools![share_price])
        .await?;
    println!("{} ({:?} tokens)", answer.text(), answer.usage.total_tokens);
    Ok(())
}
