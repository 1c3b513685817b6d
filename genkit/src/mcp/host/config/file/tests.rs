//! Files as they are in the wild, and as they should not be.

#![allow(clippy::unwrap_used, reason = "a test that fails here says where")]

mod broken;
mod clients;
mod parts;

use std::time::Duration;

use super::{ConfigFile, parse};
use crate::mcp::host::config::{Controls, Launch, ServerConfig};
use crate::mcp::host::transport::stdio::command::Command;

fn vars(name: &str) -> Option<String> {
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
fn file(text: &str) -> ConfigFile {
    parse(text, "mcp.json", vars).unwrap_or_else(|error| panic!("{error}: {text}"))
}

/// The only server of a file.
#[track_caller]
fn server(text: &str) -> (String, ServerConfig) {
    let mut found = file(text).servers;
    assert_eq!(found.len(), 1, "{text}");
    found.remove(0)
}

/// The program, its arguments and its variables.
fn told(command: &Command) -> (String, Vec<String>, Vec<(String, String)>) {
    let text = |text: &std::ffi::OsString| text.to_str().unwrap().to_owned();
    let env = command.child.env.iter().map(|(name, value)| (text(name), text(value))).collect();
    (text(&command.child.program), command.child.args.iter().map(text).collect(), env)
}

/// A server of a program, from the inside of its entry.
#[track_caller]
fn stdio(entry: &str) -> (Command, Controls) {
    let (_, config) = server(&format!(r#"{{"mcpServers": {{"fs": {{{entry}}}}}}}"#));
    match config.launch {
        Launch::Stdio(command) => (command, config.controls),
        other => panic!("{entry}: {other:?}"),
    }
}

/// Why a server is broken, from the inside of its entry.
#[track_caller]
fn fault(entry: &str) -> String {
    let (_, config) = server(&format!(r#"{{"mcpServers": {{"fs": {{{entry}}}}}}}"#));
    match config.launch {
        Launch::Broken(error) => error.to_string(),
        other => panic!("{entry}: {other:?}"),
    }
}
