//! The parsed command line.

use std::path::PathBuf;

use clap::ArgMatches;
use genkit_mcp_servers_file::ClientApp;
use serde_json::{Map, Value};

use super::error::Error as E;
#[cfg(feature = "http")]
use crate::McpServer;
use genkit_core::Result;

/// The mode that the command line selects.
#[derive(Debug)]
pub(super) enum CliCommand {
    /// No mode was given.
    Serve,
    Stdio,
    #[cfg(feature = "http")]
    Http(Http),
    List {
        json: bool,
    },
    Call {
        name: String,
        arguments: Map<String, Value>,
        json: bool,
    },
    Check,
    Inspect,
    Install(Install),
}

/// The options of `--http`.
#[cfg(feature = "http")]
#[derive(Debug)]
pub(super) struct Http {
    pub(super) address: String,
    pub(super) hosts: Vec<String>,
    pub(super) stateless: bool,
}

#[cfg(feature = "http")]
impl Http {
    pub(super) fn set(self, server: McpServer) -> McpServer {
        let Self { address, hosts, stateless } = self;
        let server = server.http(address);
        let server = if hosts.is_empty() { server } else { server.allowed_hosts(hosts) };
        if stateless { server.stateless(true) } else { server }
    }
}

/// The options of `--install`.
#[derive(Debug)]
pub(super) struct Install {
    pub(super) app: ClientApp,
    pub(super) name: Option<String>,
    /// `KEY`, or `KEY=VALUE`.
    pub(super) env: Vec<String>,
    pub(super) config: Option<PathBuf>,
    pub(super) dry_run: bool,
}

impl CliCommand {
    pub(super) fn of(matches: &ArgMatches) -> Result<Self> {
        let json = flag(matches, "json");
        #[cfg(feature = "http")]
        if let Some(address) = value::<String>(matches, "http") {
            let (hosts, stateless) = (values(matches, "allow-host"), flag(matches, "stateless"));
            return Ok(Self::Http(Http { address, hosts, stateless }));
        }
        if let Some(app) =
            value::<String>(matches, "install").and_then(|name| ClientApp::named(&name))
        {
            return Ok(Self::Install(Install {
                app,
                name: value(matches, "name"),
                env: values(matches, "env"),
                config: value(matches, "config"),
                dry_run: flag(matches, "dry-run"),
            }));
        }
        let call = matches.try_get_many::<String>("call").ok().flatten();
        let call: Vec<&String> = call.into_iter().flatten().collect();
        if let [name, arguments] = call[..] {
            let arguments =
                serde_json::from_str(arguments).map_err(|source| E::CallArguments { source })?;
            return Ok(Self::Call { name: name.clone(), arguments, json });
        }
        Ok(if flag(matches, "list") {
            Self::List { json }
        } else if flag(matches, "check") {
            Self::Check
        } else if flag(matches, "inspect") {
            Self::Inspect
        } else if flag(matches, "stdio") {
            Self::Stdio
        } else {
            Self::Serve
        })
    }
}

/// Reads a built-in flag. A flag of the program with the same name has its own meaning.
fn flag(matches: &ArgMatches, name: &str) -> bool {
    matches.try_get_one::<bool>(name).ok().flatten().copied().unwrap_or(false)
}

fn values(matches: &ArgMatches, name: &str) -> Vec<String> {
    let values = matches.try_get_many::<String>(name).ok().flatten();
    values.into_iter().flatten().cloned().collect()
}

fn value<T: Clone + Send + Sync + 'static>(matches: &ArgMatches, name: &str) -> Option<T> {
    matches.try_get_one::<T>(name).ok().flatten().cloned()
}
