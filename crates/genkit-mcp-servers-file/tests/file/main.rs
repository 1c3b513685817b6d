//! Files as they are in the wild, and as they should not be.

#![allow(clippy::unwrap_used, reason = "a test that fails here says where")]

mod broken;
mod clients;
mod editing;
mod written;

use std::collections::BTreeMap;
use std::path::PathBuf;
use std::time::Duration;

use genkit_mcp_servers_file::{ServerEntry, ServerOptions, ServerTransport, ServersFile, parse};

fn variables(name: &str) -> Option<String> {
    let known = [
        ("HOME", "/home/me"),
        ("TOKEN", "t0p-secret"),
        ("EMPTY", ""),
        ("workspaceFolder", "/srv"),
        ("userHome", "/home/me"),
    ];
    known.iter().find(|(known, _)| *known == name).map(|(_, value)| (*value).to_owned())
}

#[track_caller]
fn file(text: &str) -> ServersFile {
    parse(text, "mcp.json", variables).unwrap_or_else(|error| panic!("{error}: {text}"))
}

/// The only server of a file.
#[track_caller]
fn server(text: &str) -> ServerEntry {
    let mut found = file(text).servers;
    assert_eq!(found.len(), 1, "{text}");
    found.remove(0)
}

/// The only server, from the inside of its entry.
#[track_caller]
fn entry(inside: &str) -> ServerEntry {
    server(&format!(r#"{{"mcpServers": {{"fs": {{{inside}}}}}}}"#))
}

/// How a server of a program is used, from the inside of its entry.
#[track_caller]
fn options(inside: &str) -> ServerOptions {
    let found = entry(inside);
    found.transport.unwrap();
    found.options
}

/// A server over stdio.
#[derive(Debug)]
struct Program {
    command: String,
    args: Vec<String>,
    env: BTreeMap<String, String>,
    cwd: Option<PathBuf>,
}

#[track_caller]
fn program(server: ServerEntry) -> Program {
    match server.transport {
        Ok(ServerTransport::Stdio { command, args, env, cwd }) => {
            Program { command, args, env, cwd }
        }
        other => panic!("{other:?}"),
    }
}

/// Why a server is broken, from the inside of its entry.
#[track_caller]
fn fault(inside: &str) -> String {
    entry(inside).transport.expect_err(inside).to_string()
}

proptest::proptest! {
    /// Nothing that stands in a file breaks the reader.
    #[test]
    fn no_text_breaks_the_reader(text: String) {
        let _ = parse(&text, "f", variables);
    }
}
