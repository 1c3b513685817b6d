//! The fallback without the feature `http`: the command line then has no `--http`.

use clap::ArgMatches;

use crate::McpServer;

#[derive(Debug)]
pub(super) enum HttpCommand {}

impl HttpCommand {
    pub(super) fn from_matches(_: &ArgMatches) -> Option<Self> {
        None
    }

    pub(super) fn apply_to(self, _: McpServer) -> McpServer {
        match self {}
    }
}
