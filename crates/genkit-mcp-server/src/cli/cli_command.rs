//! The parsed command line.

use std::path::PathBuf;

use clap::ArgMatches;
use genkit_mcp_servers_file::ClientApp;
use serde_json::{Map, Value};

use super::error::Error as E;
use super::http_command::HttpCommand;
use super::publish::Publish;
use genkit_core::Result;

/// The mode that the command line selects.
#[derive(Debug)]
pub(super) enum CliCommand {
    /// No mode was given.
    Serve,
    Stdio,
    Http(HttpCommand),
    List {
        json: bool,
    },
    Call(Call),
    Check,
    Inspect,
    Install(Install),
    Publish(Publish),
}

/// The tool that `--call` calls, and its options.
#[derive(Debug)]
pub(super) struct Call {
    pub(super) tool: String,
    pub(super) arguments: Map<String, Value>,
    pub(super) json: bool,
    /// Whether to approve the tool's questions.
    pub(super) yes: bool,
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
    pub(super) fn from_matches(matches: &ArgMatches) -> Result<Self> {
        let json = read_flag(matches, "json");
        if let Some(publish) = Publish::from_matches(matches) {
            return Ok(Self::Publish(publish));
        }
        if let Some(http) = HttpCommand::from_matches(matches) {
            return Ok(Self::Http(http));
        }
        if let Some(app) = read_value::<String>(matches, "install")
            .and_then(|flag_name| ClientApp::named(&flag_name))
        {
            return Ok(Self::Install(Install {
                app,
                name: read_value(matches, "name"),
                env: read_values(matches, "env"),
                config: read_value(matches, "config"),
                dry_run: read_flag(matches, "dry-run"),
            }));
        }
        let call = matches.try_get_many::<String>("call").ok().flatten();
        let call: Vec<&String> = call.into_iter().flatten().collect();
        if let [name, arguments @ ..] = &call[..] {
            let arguments = match arguments.first() {
                Some(text) => {
                    serde_json::from_str(text).map_err(|source| E::CallArguments { source })?
                }
                None => Map::new(),
            };
            let yes = read_flag(matches, "yes");
            return Ok(Self::Call(Call { tool: name.to_string(), arguments, json, yes }));
        }
        Ok(if read_flag(matches, "list") {
            Self::List { json }
        } else if read_flag(matches, "check") {
            Self::Check
        } else if read_flag(matches, "inspect") {
            Self::Inspect
        } else if read_flag(matches, "stdio") {
            Self::Stdio
        } else {
            Self::Serve
        })
    }
}

/// Reads a built-in flag. Returns `false` if the program defines a flag with the same name and a different
/// type.
pub(super) fn read_flag(matches: &ArgMatches, name: &str) -> bool {
    matches.try_get_one::<bool>(name).ok().flatten().copied().unwrap_or(false)
}

pub(super) fn read_values(matches: &ArgMatches, name: &str) -> Vec<String> {
    let values = matches.try_get_many::<String>(name).ok().flatten();
    values.into_iter().flatten().cloned().collect()
}

pub(super) fn read_value<T: Clone + Send + Sync + 'static>(
    matches: &ArgMatches,
    name: &str,
) -> Option<T> {
    matches.try_get_one::<T>(name).ok().flatten().cloned()
}
