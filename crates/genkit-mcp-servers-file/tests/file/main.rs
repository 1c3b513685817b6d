//! Tests with real and invalid files.

#![allow(clippy::unwrap_used, reason = "a panic shows where a test failed")]

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

/// Returns the only server of a file.
#[track_caller]
fn server(text: &str) -> ServerEntry {
    let mut found = file(text).servers;
    assert_eq!(found.len(), 1, "{text}");
    found.remove(0)
}

/// Returns the only server, given the fields of its entry.
#[track_caller]
fn entry(inside: &str) -> ServerEntry {
    server(&format!(r#"{{"mcpServers": {{"fs": {{{inside}}}}}}}"#))
}

/// Returns the options of a server, given the fields of its entry.
#[track_caller]
fn options(inside: &str) -> ServerOptions {
    let found = entry(inside);
    found.transport.unwrap();
    found.options
}

/// The fields of a stdio server.
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

/// Returns the error of an invalid server, given the fields of its entry.
#[track_caller]
fn fault(inside: &str) -> String {
    entry(inside).transport.expect_err(inside).to_string()
}

proptest::proptest! {
    /// No content of a file makes the reader panic.
    #[test]
    fn no_text_breaks_the_reader(text: String) {
        let _ = parse(&text, "f", variables);
    }
}
