//! Notes in a SQLite file, for any MCP client.
//!
//! ```text
//! cargo run -p notes -- notes.db --install claude-desktop   add it to a client
//! cargo run -p notes -- notes.db --http 127.0.0.1:8000      serve over HTTP at /mcp
//! NOTES_TOKEN=.. cargo run -p notes -- --http 127.0.0.1:8000   the same, with a bearer token
//! cargo run -p notes -- --bundle notes.mcpb                 create a bundle for Claude Desktop
//! cargo run -p notes -- --help                              all other options
//! ```
//!
//! To run several instances as one server, use the same `SEALING_KEYS` and the same folder of sessions:
//! `SEALING_KEYS=$(openssl rand -hex 32) notes notes.db --http 127.0.0.1:8000 --sessions sessions`.

mod prompts;
mod resources;
mod store;
mod tools;

use std::path::PathBuf;

use genkit::Result;
use genkit::durable::FolderStore;
use genkit::mcp::server::{RunSessions, Variable};
use store::Store;

#[derive(clap::Args)]
struct NotesArgs {
    /// The database with the notes
    #[arg(default_value = "notes.db")]
    database: PathBuf,
    /// Keep sessions of the older protocols in this folder, which all instances share
    #[arg(long, value_name = "FOLDER")]
    sessions: Option<PathBuf>,
}

#[tokio::main]
async fn main() -> Result<()> {
    genkit::log_to_stderr();
    genkit::serve_mcp()
        .package(genkit::package!())
        .title("Notes")
        .variable(Variable::new("NOTES_TOKEN", "Token of clients over HTTP").secret().optional())
        .instructions(
            "Stores the user's notes. Search before you add a note, and cite notes by their id.",
        )
        .health("/health")
        .cli()
        .cli_args(|server, args: NotesArgs| {
            let mut server = server.state(Store::open(&args.database)?);
            if let Some(folder) = &args.sessions {
                server = server.session_store(RunSessions::new(FolderStore::open(folder)?));
            }
            if std::env::var_os("SEALING_KEYS").is_some() {
                server = server.sealing_keys_from_env("SEALING_KEYS");
            }
            // Other users of this machine can see the command line, but not the environment.
            Ok(match std::env::var("NOTES_TOKEN") {
                Ok(token) if !token.is_empty() => server.bearer_token(token),
                _ => server,
            })
        })
        .await
}

#[cfg(test)]
mod tests;
