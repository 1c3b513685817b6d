//! The flags, as a `clap` command.

use std::fmt::Write as _;

use clap::{Arg, ArgAction, ArgGroup, Command, builder::PossibleValuesParser, value_parser};
use genkit_mcp_servers_file::ClientApp;

use super::own_args::OwnArgs;
use super::publish;
use crate::package::Variable;
use crate::settings::ServerSettings;

/// The id of the arguments of the subcommand `runs`.
pub(super) const RUNS: &str = "genkit-runs";

/// Returns the command that parses the command line. The program's own flags take precedence over
/// built-in ones.
pub(super) fn build_command(
    settings: &ServerSettings,
    own: Option<&OwnArgs<'_>>,
    has_runs: bool,
) -> Command {
    let called = settings.title.as_ref().unwrap_or(&settings.name);
    let command = Command::new(settings.name.clone())
        .version(settings.version.clone())
        .about(format!("{called}: an MCP server"))
        .after_help(format!(
            "Without flags, serves over stdio for the MCP client that starts the program.{}",
            describe_variables(&settings.variables)
        ));
    let command = own.map_or_else(|| command.clone(), |own| own.add_args(command.clone()));
    let taken: Vec<(Option<String>, String)> = command
        .get_arguments()
        .map(|arg| (arg.get_long().map(str::to_owned), arg.get_id().to_string()))
        .collect();
    let is_free = |arg: &Arg| {
        let id = arg.get_id().as_str();
        taken.iter().all(|(long, own)| long.as_deref() != arg.get_long() && own != id)
    };
    let ours: Vec<Arg> = built_in_flags().into_iter().filter(is_free).collect();
    let has = |name: &&str| ours.iter().any(|arg| arg.get_id().as_str() == *name);
    let modes = MODES.into_iter().filter(has);
    let mode = ArgGroup::new("genkit-mode").args(modes).multiple(false);
    let printing = ArgGroup::new(PRINTING).args(PRINTING_MODES.into_iter().filter(has));
    let command = command.args(ours).group(mode).group(printing);
    if !has_runs || command.find_subcommand("runs").is_some() {
        return command;
    }
    let args = Arg::new(RUNS).num_args(..).trailing_var_arg(true).allow_hyphen_values(true);
    let runs = Command::new("runs").arg(args).disable_help_flag(true);
    let runs = runs.about("List, inspect, cancel, retry and delete durable runs");
    command.subcommand(runs).subcommand_negates_reqs(true).disable_help_subcommand(true)
}

/// Describes the variables that the program reads, for `--help`.
fn describe_variables(variables: &[Variable]) -> String {
    let mut text = String::new();
    for (at, variable) in variables.iter().enumerate() {
        let heading = if at == 0 { "\n\nEnvironment:" } else { "" };
        let note = match variable.default() {
            Some(value) => format!(" [default: {value}]"),
            None if variable.is_required() => " [required]".to_owned(),
            None => String::new(),
        };
        // Writing into a `String` cannot fail.
        let _ = write!(text, "{heading}\n  {}  {}{note}", variable.name(), variable.description());
    }
    text
}

/// The mutually exclusive modes.
const MODES: [&str; 7] = ["stdio", "http", "list", "call", "check", "inspect", "install"];

/// The id of the group of modes that support `--json`.
const PRINTING: &str = "genkit-printing";
const PRINTING_MODES: [&str; 2] = ["list", "call"];

fn built_in_flags() -> Vec<Arg> {
    let flag = |name: &'static str, help: &'static str| {
        Arg::new(name).long(name).help(help).help_heading("Server").action(ArgAction::SetTrue)
    };
    let valued = |name: &'static str, value: &'static str, help: &'static str| {
        Arg::new(name).long(name).help(help).help_heading("Server").value_name(value)
    };
    let clients = PossibleValuesParser::new(ClientApp::ALL.map(ClientApp::name));
    let path = value_parser!(std::path::PathBuf);
    let mut flags = vec![flag("stdio", "Serve over stdio, even in a terminal")];
    if cfg!(feature = "http") {
        flags.push(valued(
            "http",
            "ADDRESS",
            "Serve streamable HTTP at /mcp, for example on 127.0.0.1:8000",
        ));
    }
    if cfg!(feature = "http") {
        flags.extend([
            valued(
                "allow-host",
                "HOST",
                "Accept requests for this host name; needed behind a domain or a proxy",
            )
            .help_heading("With --http")
            .action(ArgAction::Append)
            .requires("http"),
            flag("stateless", "Run without sessions; any instance can serve any request")
                .help_heading("With --http")
                .requires("http"),
        ]);
    }
    flags.extend([
        flag("list", "Print tools, prompts and resources"),
        Arg::new("call")
            .long("call")
            .help("Call a tool with these arguments and print its result")
            .help_heading("Server")
            .value_names(["NAME", "JSON"])
            .num_args(1..=2),
        flag("json", "With --list or --call: print JSON").requires(PRINTING),
        flag("yes", "Approve the tool's confirmations without asking")
            .help_heading("With --call")
            .requires("call"),
        flag("check", "Run the startup checks and exit"),
        flag("inspect", "Open this server in the MCP Inspector (requires npx)"),
        valued("install", "CLIENT", "Add this program to the configuration of a client")
            .value_parser(clients),
        valued("name", "NAME", "Name of the entry [default: the name of the server]")
            .help_heading("With --install")
            .requires("install"),
        valued("env", "KEY", "Pass on an environment variable, or set one with KEY=VALUE")
            .help_heading("With --install")
            .action(ArgAction::Append)
            .requires("install"),
        valued("config", "FILE", "Edit this file instead, such as a project's .vscode/mcp.json")
            .help_heading("With --install")
            .value_parser(path)
            .requires("install"),
        flag("dry-run", "Print the entry without writing it")
            .help_heading("With --install")
            .requires("install"),
    ]);
    flags.extend(publish::flags());
    flags
}
