//! Notes in a SQLite file, for any MCP client.
//!
//! ```text
//! cargo run -p notes -- notes.db                          serve on stdio
//! cargo run -p notes -- notes.db --http 127.0.0.1:8000    serve over HTTP at /mcp
//! ```

mod prompts;
mod resources;
mod store;
mod tools;

use genkit::{Error, Result};
use store::Store;

#[tokio::main]
async fn main() -> Result<()> {
    genkit::log_to_stderr();
    let arguments: Vec<String> = std::env::args().skip(1).collect();
    let (path, http) = match arguments.iter().map(String::as_str).collect::<Vec<_>>()[..] {
        [path] if !path.starts_with('-') => (path, None),
        [path, "--http", address] | ["--http", address, path] => (path, Some(address)),
        ["--http", address] => ("notes.db", Some(address)),
        [] => ("notes.db", None),
        _ => return Err(Error::invalid_argument("usage: notes [DATABASE] [--http ADDRESS]")),
    };
    let server = genkit::serve_mcp()
        .name("notes")
        .title("Notes")
        .version(env!("CARGO_PKG_VERSION"))
        .instructions("Keeps the user's notes. Search before you add, and quote notes by their id.")
        .state(Store::open(path)?);
    match http {
        Some(address) => server.http(address).await,
        None => server.await,
    }
}

#[cfg(test)]
mod tests;
