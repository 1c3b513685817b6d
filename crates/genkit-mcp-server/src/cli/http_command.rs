//! `--http`: serves over HTTP.

use clap::ArgMatches;

use super::cli_command::{read_flag, read_value, read_values};
use crate::McpServer;

/// The options of `--http`.
#[derive(Debug)]
pub(super) struct HttpCommand {
    address: String,
    hosts: Vec<String>,
    stateless: bool,
}

impl HttpCommand {
    /// Returns the options if the flag is given.
    pub(super) fn from_matches(matches: &ArgMatches) -> Option<Self> {
        let address = read_value(matches, "http")?;
        let (hosts, stateless) =
            (read_values(matches, "allow-host"), read_flag(matches, "stateless"));
        Some(Self { address, hosts, stateless })
    }

    pub(super) fn apply_to(self, server: McpServer) -> McpServer {
        let Self { address, hosts, stateless } = self;
        let server = server.http(address);
        let server = if hosts.is_empty() { server } else { server.allowed_hosts(hosts) };
        if stateless { server.stateless(true) } else { server }
    }
}
