//! The flags, as a `clap` command.

use clap::{Arg, ArgAction, ArgGroup, Command, builder::PossibleValuesParser, value_parser};
use genkit_mcp_servers_file::ClientApp;

use super::own_args::OwnArgs;
use crate::settings::ServerSettings;

/// The command that parses the command line. The program's own flags take precedence over built-in
/// ones.
pub(super) fn build_command(settings: &ServerSettings, own: Option<&OwnArgs<'_>>) -> Command {
    let called = settings.title.as_ref().unwrap_or(&settings.name);
    let command = Command::new(settings.name.clone())
        .version(settings.version.clone())
        .about(format!("{called}: an MCP server"))
        .after_help(
            "Without a flag, it serves on standard input and output, for the MCP client that starts it.",
        );
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
    command.args(ours).group(mode).group(printing)
}

/// The mutually exclusive modes.
const MODES: [&str; 7] = ["stdio", "http", "list", "call", "check", "inspect", "install"];

/// The modes that support `--json`.
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
    let mut flags = vec![flag("stdio", "Serve on standard input and output, also in a terminal")];
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
                "Allow this host name in requests, behind a domain or a proxy",
            )
            .help_heading("With --http")
            .action(ArgAction::Append)
            .requires("http"),
            flag("stateless", "Keep no sessions, so that any instance can serve any request")
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
        flag("yes", "Approve what the tool asks, instead of asking in the terminal")
            .help_heading("With --call")
            .requires("call"),
        flag("check", "Run the checks that serving runs when it starts"),
        flag("inspect", "Open the MCP Inspector on this program (needs npx)"),
        valued("install", "CLIENT", "Add this program to the configuration of a client")
            .value_parser(clients),
        valued("name", "NAME", "Name of the entry [default: the name of the server]")
            .help_heading("With --install")
            .requires("install"),
        valued("env", "KEY", "Pass a variable of this environment, or set a variable: KEY=VALUE")
            .help_heading("With --install")
            .action(ArgAction::Append)
            .requires("install"),
        valued("config", "FILE", "Edit this file, for example .vscode/mcp.json of a project")
            .help_heading("With --install")
            .value_parser(path)
            .requires("install"),
        flag("dry-run", "Print the entry without writing it")
            .help_heading("With --install")
            .requires("install"),
    ]);
    flags
}
