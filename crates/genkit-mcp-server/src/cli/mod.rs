//! The command line of a server: `serve_mcp().cli().await`.

mod call;
mod client;
mod command;
mod error;
mod inspect;
mod install;
mod list;
mod own_args;
mod print;
mod terminal;
mod wanted;

use std::ffi::OsString;
use std::future::IntoFuture;
use std::io::IsTerminal as _;

use super::McpServer;
use genkit_core::BoxFuture;
use genkit_core::Result;
use own_args::OwnArgs;
use wanted::Wanted;

impl McpServer {
    /// Command line of the program: `--http ADDR`, `--list`, `--call NAME JSON`, `--check`,
    /// `--inspect`, `--install CLIENT`, `--help`, `--version`. Without arguments it serves on stdio,
    /// and in a terminal it says what it is and what to do.
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
    /// Flags of your own: [`McpCli::cli_args`].
    pub fn cli(self) -> McpCli<'static> {
        McpCli { server: self, own: None, line: None }
    }
}

/// MCP server with a command line, about to be started: await it.
///
/// | flag | what it does |
/// |---|---|
/// | none | serves on stdio; where standard input is a terminal, says what the program is and what to do |
/// | `--stdio` | serves on stdio, also in a terminal |
/// | `--http ADDRESS` | serves streamable HTTP at `/mcp` (feature `mcp-http`); `--allow-host HOST` and `--stateless` are [`allowed_hosts`](McpServer::allowed_hosts) and [`stateless`](McpServer::stateless) |
/// | `--list` | prints tools, prompts and resources; with `--json` as JSON |
/// | `--call NAME JSON` | calls a tool as an MCP client would, and prints its result; with `--json` as JSON |
/// | `--check` | checks what serving checks at its start |
/// | `--inspect` | opens the MCP Inspector on this program (`npx`, a fixed version) |
/// | `--install CLIENT` | writes the program into the configuration of `claude-desktop`, `claude-code`, `cursor` or `vscode` |
/// | `--help`, `--version` | |
///
/// `--install` keeps every other byte of the file and makes a copy of it first. The entry has the
/// absolute path of the program, and the program's own arguments with absolute paths. `--name` is what
/// the client calls it (default is the name of the server), `--env KEY` hands on a variable of this
/// environment, `--config FILE` names another file, and `--dry-run` writes nothing.
///
/// A wrong command line, `--help` and `--version` end the process, as `clap` does. Everything else
/// returns.
///
/// # Errors
/// Awaiting it fails as awaiting the [`McpServer`] does; where a called tool fails; and where a
/// configuration cannot be written: it is as it was then.
#[must_use = "a server starts when it is awaited: add `.await`"]
pub struct McpCli<'a> {
    server: McpServer,
    own: Option<OwnArgs<'a>>,
    line: Option<Vec<OsString>>,
}

impl<'a> McpCli<'a> {
    /// Flags and arguments of your own, which `clap` reads: `apply` makes the server of them.
    ///
    /// It runs before the server is started, listed, called or checked, and not for `--help` or
    /// `--install`. What it may borrow outlives the server.
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
    /// Those that were given are written into the entry of `--install` and `--inspect`; a `PathBuf` is
    /// made absolute there, also a default one, since clients start programs in folders of theirs. A flag
    /// of yours takes the place of one of ours that has the same name. `clap` is version 4 with `derive`,
    /// in the dependencies of your program.
    pub fn cli_args<A: clap::Args>(
        self,
        apply: impl FnOnce(McpServer, A) -> Result<McpServer> + Send + 'a,
    ) -> Self {
        Self { own: Some(OwnArgs::new(apply)), ..self }
    }

    /// Reads this command line in the place of the process's own; the first is the program.
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

    /// Does what the command line says: what awaiting it does, as a future for `block_on` and `select!`.
    ///
    /// # Errors
    /// As awaiting the [`McpCli`].
    pub async fn run(self) -> Result<()> {
        let Self { server, own, line } = self;
        let line = line.unwrap_or_else(|| std::env::args_os().collect());
        let command = command::command(&server.settings, own.as_ref());
        // What is wrong is said with the usage, and so are `--help` and `--version`.
        let matches = command.try_get_matches_from(line).unwrap_or_else(|said| said.exit());
        let wanted = Wanted::of(&matches)?;
        let told = |own: Option<&OwnArgs<'_>>| own.map_or(Ok(Vec::new()), |own| own.told(&matches));
        match &wanted {
            Wanted::Install(install) => {
                return install::install(install, &server.settings.name, told(own.as_ref())?);
            }
            Wanted::Inspect => return inspect::inspect(told(own.as_ref())?).await,
            Wanted::Serve if waits_for_a_person(&server) => {
                return print::out(&terminal::hint(&server.settings));
            }
            _ => {}
        }
        let server = match own {
            Some(own) => own.apply(server, &matches)?,
            None => server,
        };
        match wanted {
            #[cfg(feature = "http")]
            Wanted::Http(http) => http.set(server).await,
            Wanted::List { json } => list::list(server, json).await,
            Wanted::Call { name, arguments, json } => {
                call::call(server, &name, arguments, json).await
            }
            Wanted::Check => list::check(server).await,
            _ => server.await,
        }
    }
}

/// Whether nobody but a person in a terminal could answer: stdio without a client.
fn waits_for_a_person(server: &McpServer) -> bool {
    #[cfg(feature = "http")]
    if server.listening.is_set() {
        return false;
    }
    let _ = server;
    std::io::stdin().is_terminal()
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
        // The line may have secrets in it.
        f.debug_struct("McpCli").field("server", &self.server).finish_non_exhaustive()
    }
}
