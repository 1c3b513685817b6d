//! A third-party client, run once with `notes`.

use std::process::Command;
use std::time::Duration;

use serde_json::Value;

use crate::program;
use crate::server::{self, Server};

/// The time limit of a client.
const PATIENCE: Duration = Duration::from_secs(120);

/// The transport between a client and the server.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Transport {
    Stdio,
    Http,
}

/// `notes` over an empty database, ready for one client.
pub(super) struct Target {
    arguments: Vec<String>,
    // Runs until the client is done.
    _server: Option<Server>,
}

impl Target {
    pub(super) fn new(test: &str, transport: Transport) -> Self {
        match transport {
            Transport::Http => {
                let server = Server::notes(test);
                Self { arguments: vec!["http".into(), server.url().into()], _server: Some(server) }
            }
            Transport::Stdio => {
                let program = server::example("notes").to_string_lossy().into_owned();
                Self {
                    arguments: vec!["stdio".into(), program, server::database(test)],
                    _server: None,
                }
            }
        }
    }

    /// Returns the arguments for the scripts: `http URL` or `stdio COMMAND ARGUMENT…`.
    pub(super) fn arguments(&self) -> &[String] {
        &self.arguments
    }
}

/// Runs a client to its end, and returns the JSON document that it prints.
pub(super) fn document(client: &mut Command, target: &Target) -> Value {
    let client = client.args(target.arguments());
    let ran = program::run(client, PATIENCE).unwrap_or_else(|story| panic!("{story}"));
    assert_eq!(ran.code, Some(0), "the client failed\n{}", ran.story());
    serde_json::from_str(&ran.stdout)
        .unwrap_or_else(|error| panic!("no JSON document: {error}\n{}", ran.story()))
}
