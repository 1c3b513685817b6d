//! The servers: this program started again, or tasks in it.

use std::time::Duration;

use genkit::{Genkit, Registry, tool, tools};

/// The startup delay of the slow server, which simulates a server that loads much data.
const SLOW: Duration = Duration::from_millis(300);

/// Adds two numbers.
#[tool]
async fn add(a: i64, b: i64) -> String {
    (a + b).to_string()
}

pub(crate) fn genkit() -> Genkit {
    Genkit::builder().registry(Registry::new().add(tools![add])).build().unwrap()
}

/// Serves on standard streams.
#[tokio::main]
pub(crate) async fn serve(name: &str) {
    if name == "slow" {
        tokio::time::sleep(SLOW).await;
    }
    genkit().serve_mcp().await.unwrap();
}
