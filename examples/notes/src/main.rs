//! Notes in a SQLite file, for any MCP client.
//!
//! ```text
//! cargo run -p notes -- notes.db --install claude-desktop   add it to a client
//! cargo run -p notes -- notes.db --http 127.0.0.1:8000      serve over HTTP at /mcp
//! NOTES_TOKEN=.. cargo run -p notes -- --http 127.0.0.1:8000   the same, for who has the token
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
        .cli_args(|server, args: NotesArgs| {
            let server = server.state(Store::open(&args.database)?);
            // Other users of this machine see a command line, and not an environment.
            Ok(match std::env::var("NOTES_TOKEN") {
                Ok(token) => server.bearer_token(token),
                Err(_) => server,
            })
        })
        .await
}

#[cfg(test)]
mod tests;
