//! One of several instances behind a proxy: the guide page `deploying`.

use genkit::{Context, ErrorContext as _, Result, tool};
use std::time::Duration;

#[derive(serde::Deserialize, schemars::JsonSchema)]
struct Address {
    street: String,
}

/// Orders a pizza.
#[tool]
async fn order_pizza(ctx: &Context, kind: String) -> Result<String> {
    // In the 2026-07-28 protocol, the state of this call is sealed into the question.
    let to = ctx.elicit::<Address>("Where to?").await?.accepted()?;
    Ok(format!("{kind} to {}", to.street))
}

/// Reads a required variable, so that a server without its secrets does not start.
fn required(name: &str) -> Result<String> {
    std::env::var(name).context(format!("the environment variable `{name}` is not set"))
}

#[tokio::main]
async fn main() -> Result<()> {
    genkit::log_to_stderr();
    let address = std::env::var("LISTEN").unwrap_or_else(|_| "127.0.0.1:8000".into());
    let host = std::env::var("PUBLIC_HOST").unwrap_or_else(|_| "localhost".into());
    genkit::serve_mcp()
        .name("pizza")
        .http(address)
        .allowed_hosts([host]) // the host name that clients use
        .bearer_token(required("TOKEN")?) // or `.authenticate(..)`, for several users
        .sealing_keys_from_env("SEALING_KEYS") // the same for all instances
        .client_address_from("x-forwarded-for") // only behind a proxy that sets it
        .health("/health") // `/health` is liveness, `/health/ready` is readiness
        .ready_when(|| async { Ok::<_, std::io::Error>(()) }) // such as a database ping
        .timeout(Duration::from_secs(30))
        .await // on SIGTERM: stop accepting, 10 s for running requests
}
