//! The command line without the feature `publish`, which has no `--bundle` and `--server-json`.

use std::convert::Infallible;

use clap::{Arg, ArgMatches};

use crate::McpServer;
use crate::settings::ServerSettings;
use genkit_core::Result;

#[derive(Debug)]
pub(super) struct Publish(Infallible);

impl Publish {
    pub(super) fn from_matches(_: &ArgMatches) -> Option<Self> {
        None
    }
}

pub(super) fn flags() -> Vec<Arg> {
    Vec::new()
}

pub(super) fn describe_missing(_: &ServerSettings) -> String {
    String::new()
}

pub(super) async fn publish(_: McpServer, wanted: Publish) -> Result<()> {
    match wanted.0 {}
}
