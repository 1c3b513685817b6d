//! Notes in a SQLite file, for any MCP client.
//!
//! ```text
//! cargo run -p notes -- notes.db --install claude-desktop   add it to a client
//! cargo run -p notes -- notes.db --http 127.0.0.1:8000      serve over HTTP at /mcp
//! cargo run -p notes -- --help                              everything else
//! ```

mod prompts;
mod resources;
mod store;
mod tools;

use std::path::PathBuf;

use genkit::Result;
use store::Store;

#[derive(clap::Args)]
struct NotesArgs {
    /// The database with the notes
    #[arg(default_value = "notes.db")]
    database: PathBuf,
}

#[tokio::main]
async fn main() -> Result<()> {
    genkit::log_to_stderr();
    genkit::serve_mcp()
        .name("notes")
        .title("Notes")
        .version(env!("CARGO_PKG_VERSION"))
        .instructions("Keeps the user's notes. Search before you add, and quote notes by their id.")
        .health("/health")
        .cli()
        .cli_args(|server, args: NotesArgs| Ok(server.state(Store::open(&args.database)?)))
        .await
}

#[cfg(test)]
mod tests;
