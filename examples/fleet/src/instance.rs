//! One instance: a server that knows its name.

#![allow(clippy::print_stdout, reason = "whoever starts it reads where it is")]

use std::path::Path;
use std::time::Duration;

use genkit::durable::FolderStore;
use genkit::mcp::server::RunSessions;
use genkit::{Context, Genkit, Registry, Result, tool, tools};

/// What an instance is called.
struct Name(String);

#[derive(serde::Deserialize, schemars::JsonSchema)]
struct Guest {
    /// Who comes.
    name: String,
}

/// Tells which instance answers, after a moment.
#[tool(read_only)]
async fn answered_by(name: &Name) -> String {
    tokio::time::sleep(Duration::from_millis(20)).await;
    name.0.clone()
}

/// Books seats.
#[tool]
async fn book(name: &Name, ctx: &Context, seats: u32) -> Result<String> {
    // What was done travels with the question, sealed: it is not done again.
    let asked_by: String =
        ctx.once("asked", async { Ok::<_, genkit::Error>(name.0.clone()) }).await?;
    let guest = ctx.elicit::<Guest>("For whom?").await?.accepted()?.name;
    Ok(format!("booked {seats} seats for {guest}; asked by {asked_by}, booked by {}", name.0))
}

/// Serves as `name`, with sessions in `folder`. The first line that it prints is its address.
pub(crate) async fn serve(name: &str, folder: &Path) -> Result<()> {
    let listener = std::net::TcpListener::bind("127.0.0.1:0")?;
    println!("{}", listener.local_addr()?);
    let registry = Registry::new().add(tools![answered_by, book]);
    let genkit = Genkit::builder().registry(registry).state(Name(name.to_owned())).build()?;
    genkit
        .serve_mcp()
        .name("fleet")
        .listener(listener)
        .sealing_keys_from_env("SEALING_KEYS")
        .session_store(RunSessions::new(FolderStore::open(folder)?))
        .await
}
