//! `--bundle` and `--server-json`: the files for publishing a server.

use std::path::PathBuf;

use clap::{Arg, ArgAction, ArgMatches, value_parser};
use genkit_publish::{Publication, PublishedVariable};
use serde_json::Value;

use crate::McpServer;
use crate::cli::cli_command::read_value;
use crate::cli::install::program_path;
use crate::cli::list::ServerLists;
use crate::cli::print;
use crate::package::Variable;
use crate::settings::ServerSettings;
use genkit_core::Result;

/// The files to write.
#[derive(Debug)]
pub(super) struct Publish {
    bundle: Option<PathBuf>,
    /// The released bundles to list in the entry.
    mcpb: Vec<PathBuf>,
    /// The name of the server in the registry.
    server_json: Option<String>,
    /// The image of the server.
    oci: Option<String>,
}

impl Publish {
    pub(super) fn from_matches(matches: &ArgMatches) -> Option<Self> {
        let bundle = read_value(matches, "bundle");
        let mcpb = matches.try_get_many("mcpb").ok().flatten();
        let mcpb = mcpb.into_iter().flatten().cloned().collect();
        let server_json = read_value(matches, "server-json");
        let oci = read_value(matches, "oci");
        (bundle.is_some() || server_json.is_some()).then_some(Self {
            bundle,
            mcpb,
            server_json,
            oci,
        })
    }
}

pub(super) fn flags() -> Vec<Arg> {
    let valued = |name: &'static str, value: &'static str, help: &'static str| {
        Arg::new(name).long(name).help(help).help_heading("Publishing").value_name(value)
    };
    vec![
        valued("bundle", "FILE", "Write a bundle of this program, for example notes.mcpb")
            .value_parser(value_parser!(PathBuf)),
        valued("server-json", "NAME", "Print the MCP registry entry for io.github.me/notes"),
        valued("mcpb", "FILE", "With --server-json: a released bundle to list; can be repeated")
            .value_parser(value_parser!(PathBuf))
            .action(ArgAction::Append)
            .requires("server-json"),
        valued("oci", "IMAGE", "With --server-json: a container image to list, with its tag")
            .requires("server-json"),
    ]
}

/// Describes the metadata that the package lacks for a bundle or an MCP registry entry.
pub(super) fn describe_missing(settings: &ServerSettings) -> String {
    read_publication(settings).hint()
}

/// Returns the settings as metadata, without tools and prompts.
fn read_publication(settings: &ServerSettings) -> Publication {
    let settings = settings.clone();
    let package = settings.package.unwrap_or_default();
    let publish_variable = |variable: &Variable| PublishedVariable {
        name: variable.name().to_owned(),
        description: variable.description().to_owned(),
        is_secret: variable.is_secret(),
        is_required: variable.is_required(),
        default: variable.default().map(str::to_owned),
    };
    Publication {
        name: settings.name,
        title: settings.title,
        version: settings.version,
        description: settings.description.unwrap_or_default(),
        website: settings.website,
        authors: package.authors,
        license: package.license,
        repository: package.repository,
        icons: settings.icons,
        crate_name: package.name,
        variables: settings.variables.iter().map(publish_variable).collect(),
        ..Publication::default()
    }
}

pub(super) async fn publish(mut server: McpServer, wanted: Publish) -> Result<()> {
    let mut publication = read_publication(&server.settings);
    // The variables are for the users of the published server.
    server.settings.variables.clear();
    let lists = ServerLists::from_server(server).await?;
    (publication.tools, publication.prompts) = (lists.tools, lists.prompts);
    if let Some(file) = &wanted.bundle {
        let program = PathBuf::from(program_path()?);
        publication.write_bundle(&program, file)?;
    }
    match &wanted.server_json {
        Some(name) => {
            let image = wanted.oci.as_deref();
            let entry = publication.registry_entry(name, &wanted.mcpb, image)?;
            print::print_json(&Value::Object(entry))
        }
        None => {
            let file = wanted.bundle.unwrap_or_default();
            print::print_text(&format!("Wrote {}.\n", file.display()))
        }
    }
}
