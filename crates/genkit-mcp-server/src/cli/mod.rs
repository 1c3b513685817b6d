//! The command line of a server: `serve_mcp().cli().await`.

mod call;
mod cli_command;
mod client;
mod command;
mod error;
#[cfg_attr(not(feature = "http"), path = "http_command_off.rs")]
mod http_command;
mod inspect;
mod install;
mod list;
mod own_args;
mod print;
#[cfg_attr(not(feature = "publish"), path = "publish/off.rs")]
mod publish;
mod questions;
mod terminal;

use std::ffi::OsString;
use std::future::IntoFuture;
use std::io::IsTerminal as _;

use super::McpServer;
use cli_command::CliCommand;
use genkit_core::{BoxFuture, Result};
use own_args::OwnArgs;

impl McpServer {
    /// Adds a command line to the server: `--http ADDR`, `--list`, `--call NAME JSON`, `--check`, `--inspect`,
    /// `--install CLIENT`, `--help`, `--version`. Without arguments, the program serves over stdio; in a terminal, it
    /// prints a short description and its usage.
    ///
    /// ```no_run
    /// use genkit::tool;
    ///
    /// /// Adds two numbers.
    /// #[tool]
    /// async fn add(a: i64, b: i64) -> i64 { a + b }
    ///
    /// #[tokio::main]
    /// async fn main() -> genkit::Result<()> {
    ///     genkit::serve_mcp().name("sums").version(env!("CARGO_PKG_VERSION")).cli().await
    /// }
    /// ```
    ///
    /// ```sh
    /// sums --call add '{"a": 2, "b": 40}'     # 42
    /// sums --install claude-desktop           # or claude-code, cursor, vscode
    /// ```
    ///
    /// For your own flags, see [`McpCli::cli_args`].
    pub fn cli(self) -> McpCli<'static> {
        McpCli { server: self, own: None, line: None }
    }
}

/// An MCP server with a command line. Await it to execute the command line.
///
/// | flag | effect |
/// |---|---|
/// | none | serves over stdio; if standard input is a terminal, prints a short description and the usage |
/// | `--stdio` | serves over stdio, even in a terminal |
/// | `--http ADDRESS` | serves streamable HTTP at `/mcp` (feature `mcp-http`); `--allow-host HOST` and `--stateless` are [`allowed_hosts`](McpServer::allowed_hosts) and [`stateless`](McpServer::stateless) |
/// | `--list` | prints tools, prompts and resources; with `--json` as JSON |
/// | `--call NAME JSON` | calls a tool as an MCP client would, and prints its result; with `--json` as JSON |
/// | `--check` | performs the startup checks, and lists the missing metadata for publishing the server (feature `publish`) |
/// | `--bundle FILE` | writes a bundle (`.mcpb`), which users of Claude Desktop install with a double click (feature `publish`) |
/// | `--server-json NAME` | prints the MCP registry entry for a name such as `io.github.me/notes` (feature `publish`); `--mcpb FILE` and `--oci IMAGE` add released bundles and an image |
/// | `--inspect` | opens the MCP Inspector on this program (`npx`, a fixed version) |
/// | `--install CLIENT` | adds the program to the configuration of `claude-desktop`, `claude-code`, `cursor` or `vscode` |
/// | `runs ..` | lists, inspects, cancels, retries and deletes the durable runs of an instance with a store; `runs help` prints the commands (feature `durable`) |
/// | `--help`, `--version` | print the usage, or the version |
///
/// `--install` changes only this entry of the file, and makes a copy of the file first. The entry contains the absolute
/// path of the program and the program's own arguments, with absolute paths. `--name` sets the name of the entry
/// (default: the name of the server), `--env KEY` passes a variable of this environment to the server, `--config FILE`
/// selects another file, and `--dry-run` writes nothing.
///
/// An invalid command line, `--help` and `--version` exit the process, as usual with `clap`. All other command lines
/// return a result.
///
/// # Errors
/// Awaiting it returns the errors of [`McpServer`], and an error if the called tool fails or the configuration cannot
/// be written. In the latter case the file is unchanged.
#[must_use = "a server starts when it is awaited: add `.await`"]
pub struct McpCli<'a> {
    server: McpServer,
    own: Option<OwnArgs<'a>>,
    line: Option<Vec<OsString>>,
}

impl<'a> McpCli<'a> {
    /// Adds your own flags and arguments, parsed by `clap`; `apply` configures the server from them.
    ///
    /// `apply` runs before the server is started, listed, called or checked, but not for `--help` or `--install`.
    /// Values that the server borrows must outlive it.
    ///
    /// ```no_run
    /// use std::path::PathBuf;
    ///
    /// # struct Store;
    /// # impl Store { fn open(_: PathBuf) -> genkit::Result<Self> { Ok(Self) } }
    /// #[derive(clap::Args)]
    /// struct NotesArgs {
    ///     /// The file with the notes
    ///     #[arg(default_value = "notes.db")]
    ///     database: PathBuf,
    /// }
    ///
    /// #[tokio::main]
    /// async fn main() -> genkit::Result<()> {
    ///     let cli = genkit::serve_mcp().name("notes").cli();
    ///     cli.cli_args(|server, args: NotesArgs| Ok(server.state(Store::open(args.database)?))).await
    /// }
    /// ```
    ///
    /// `--install` and `--inspect` include the arguments that the user passed. They make each `PathBuf` absolute,
    /// including default values, because clients start programs in other folders. Your flags replace built-in flags
    /// with the same name. Your program needs `clap` 4 with `derive` in its dependencies.
    pub fn cli_args<A: clap::Args>(
        self,
        apply: impl FnOnce(McpServer, A) -> Result<McpServer> + Send + 'a,
    ) -> Self {
        Self { own: Some(OwnArgs::new(apply)), ..self }
    }

    /// Sets the command line to parse instead of the arguments of the process. The first element is the
    /// name of the program.
    ///
    /// ```
    /// use genkit::{Genkit, Registry, tool, tools};
    ///
    /// /// Adds two numbers.
    /// #[tool]
    /// async fn add(a: i64, b: i64) -> i64 { a + b }
    ///
    /// # #[tokio::main(flavor = "current_thread")]
    /// # async fn main() -> genkit::Result<()> {
    /// let genkit = Genkit::builder().registry(Registry::new().add(tools![add])).build()?;
    /// genkit.serve_mcp().cli().command_line(["sums", "--check"]).await?;
    ///
    /// let lame = genkit.serve_mcp().cli().command_line(["sums", "--call", "add", r#"{"a": "two"}"#]);
    /// assert!(lame.await.unwrap_err().to_string().contains("`a`"));
    /// # Ok(())
    /// # }
    /// ```
    pub fn command_line(self, arguments: impl IntoIterator<Item = impl Into<OsString>>) -> Self {
        Self { line: Some(arguments.into_iter().map(Into::into).collect()), ..self }
    }

    /// Executes the command line. Awaiting the [`McpCli`] does the same; this `async fn` is for `block_on` and
    /// `select!`.
    ///
    /// # Errors
    /// Returns the same errors as awaiting the [`McpCli`].
    pub async fn run(self) -> Result<()> {
        let Self { server, own, line } = self;
        let line = line.unwrap_or_else(|| std::env::args_os().collect());
        let runs = server.genkit.runs_command.as_ref();
        let command = command::build_command(&server.settings, own.as_ref(), runs.is_some());
        // `exit` prints usage errors, `--help` and `--version`.
        let matches = command.try_get_matches_from(line).unwrap_or_else(|said| said.exit());
        let args = matches.subcommand().map(|(_, runs)| runs.try_get_many::<String>(command::RUNS));
        if let (Some(runs), Some(Ok(args))) = (runs, args) {
            let printed = runs(args.into_iter().flatten().cloned().collect()).await?;
            return print::print_text(&printed);
        }
        let wanted = CliCommand::from_matches(&matches)?;
        let told = |own: Option<&OwnArgs<'_>>| {
            own.map_or(Ok(Vec::new()), |own| own.to_arguments(&matches))
        };
        match &wanted {
            CliCommand::Install(install) => {
                return install::install_entry(install, &server.settings, told(own.as_ref())?);
            }
            CliCommand::Inspect => return inspect::run_inspector(told(own.as_ref())?).await,
            CliCommand::Serve if would_block_on_terminal(&server) => {
                return print::print_text(&terminal::usage_hint(&server.settings));
            }
            _ => {}
        }
        let server = match own {
            Some(own) => own.apply_args(server, &matches)?,
            None => server,
        };
        match wanted {
            CliCommand::Http(http) => http.apply_to(server).await,
            CliCommand::List { json } => list::print_lists(server, json).await,
            CliCommand::Call(wanted) => call::call(server, wanted).await,
            CliCommand::Check => list::print_check(server).await,
            CliCommand::Publish(publish) => publish::publish(server, publish).await,
            _ => server.await,
        }
    }
}

/// Returns whether the server would serve on stdio in a terminal, without an MCP client.
fn would_block_on_terminal(server: &McpServer) -> bool {
    server.listening.listen_address.is_none() && std::io::stdin().is_terminal()
}

impl<'a> IntoFuture for McpCli<'a> {
    type Output = Result<()>;
    type IntoFuture = BoxFuture<'a, Result<()>>;

    fn into_future(self) -> Self::IntoFuture {
        Box::pin(self.run())
    }
}

impl std::fmt::Debug for McpCli<'_> {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        // The command line can contain secrets.
        f.debug_struct("McpCli").field("server", &self.server).finish_non_exhaustive()
    }
}
