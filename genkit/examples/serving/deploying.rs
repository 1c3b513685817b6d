//! One of several instances behind a proxy: the guide page `deploying`.

use genkit::{Context, Result, tool};
use std::time::Duration;

#[derive(serde::Deserialize, schemars::JsonSchema)]
struct Address {
    street: String,
}

/// Orders a pizza.
#[tool]
async fn order_pizza(ctx: &Context, kind: String) -> Result<String> {
    // The answer may reach another instance, so the state of this call is sealed into the question.
    let to = ctx.elicit::<Address>("Where to?").await?.accepted()?;
    Ok(format!("{kind} to {}", to.street))
}

#[tokio::main]
async fn main() -> Result<()> {
    genkit::log_to_stderr();
    let env =
        |name: &str, otherwise: &str| std::env::var(name).unwrap_or_else(|_| otherwise.into());
    let key = env("SEALING_KEY", "a development key of at least 32 bytes"); // from your secrets
    genkit::serve_mcp()
        .name("pizza")
        .http(env("LISTEN", "0.0.0.0:8000"))
        .allowed_hosts([env("PUBLIC_HOST", "localhost")]) // the host name that clients use
        .sealing_key(key) // the same for all instances
        .stateless(true) // any instance can serve any request
        .client_address_from("x-forwarded-for") // only behind a proxy that sets it
        .health("/health") // `/health` is liveness, `/health/ready` is readiness
        .ready_when(|| async { Ok::<_, std::io::Error>(()) }) // for example, ping the database
        .timeout(Duration::from_secs(30))
        .await // on SIGTERM: stop accepting, 10 s for running requests
}
