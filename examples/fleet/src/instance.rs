//! One named instance of the server.

#![allow(clippy::print_stdout, reason = "the parent process reads the address")]

use std::path::Path;
use std::time::Duration;

use genkit::durable::FolderStore;
use genkit::mcp::server::RunSessions;
use genkit::{Context, Genkit, Registry, Result, tool, tools};

/// The name of an instance.
struct Name(String);

#[derive(serde::Deserialize, schemars::JsonSchema)]
struct Guest {
    /// The name of the guest.
    name: String,
}

/// Returns the name of the instance after a short delay.
#[tool(read_only)]
async fn answered_by(name: &Name) -> String {
    tokio::time::sleep(Duration::from_millis(20)).await;
    name.0.clone()
}

/// Books seats.
#[tool]
async fn book(name: &Name, ctx: &Context, seats: u32) -> Result<String> {
    // The result of `once` is sealed into the question, so it is not computed again.
    let asked_by: String =
        ctx.once("asked", async { Ok::<_, genkit::Error>(name.0.clone()) }).await?;
    let guest = ctx.elicit::<Guest>("For whom?").await?.accepted()?.name;
    Ok(format!("booked {seats} seats for {guest}; asked by {asked_by}, booked by {}", name.0))
}

/// Serves as the instance `name`, with sessions in `folder`. Prints the address first.
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
