//! A terminal chat with the tools and resources of all servers in an `mcp.json`.
//!
//! ```text
//! cargo run -p desktop -- examples/desktop/mcp.json           chat
//! cargo run -p desktop -- examples/desktop/mcp.json --list    only list what the servers offer
//! cargo run -p desktop -- examples/desktop/mcp.json --demo    one question, without user interaction
//! cargo run -p desktop -- --model NAME ..                     another model
//! ```
//!
//! Without a path it asks whether to use the `mcp.json` of the current folder, because that file specifies
//! which programs are started. It also asks before each tool call, until the user answers "always" for the
//! tool in its current form. The annotations of the servers do not affect this.

#![allow(clippy::print_stdout, reason = "an interactive program")]

mod options;
mod table;
mod talk;
mod terminal;

use std::io::IsTerminal as _;
use std::path::{Path, PathBuf};
use std::time::Duration;

use genkit::mcp::host::{McpEvent, McpHost, ServerState};
use genkit::{Error, Result};

use options::{Mode, Wanted};
use talk::{Always, Talk};
use terminal::{Consent, Terminal};

/// The connect timeout. Package runners install a server on its first start.
const PATIENCE: Duration = Duration::from_secs(300);

/// The maximum length of a displayed log line, in characters.
const LOGGED: usize = 200;

const DEMO_TOOL: &str = "notes/add_note";

const DEMO: &str = "Add a note that says: buy milk.";

#[tokio::main]
async fn main() -> Result<()> {
    let wanted = Wanted::read(std::env::args().skip(1))?;
    if wanted.what == Mode::Help {
        println!("{}", options::USAGE);
        return Ok(());
    }
    let terminal = Terminal::standard();
    let config = match &wanted.config {
        Some(named) => require_config(named)?,
        None => find_config(&wanted, &terminal).await?,
    };
    let host = connect(&wanted, &config, &terminal)?;
    let done = tokio::select! {
        done = run(&wanted, &host, &terminal) => done,
        _ = tokio::signal::ctrl_c() => {
            host.close().await;
            // A pending read of standard input cannot be cancelled.
            std::process::exit(130);
        }
    };
    // Stop the servers before this program exits.
    host.close().await;
    done
}

fn require_config(config: &Path) -> Result<PathBuf> {
    if config.exists() {
        return Ok(config.to_owned());
    }
    let config = config.display();
    let said = format!("{config} not found; try examples/desktop/mcp.json of this repository");
    Err(Error::not_found(said))
}

/// Asks before it uses the `mcp.json` of the current folder, which can come from an untrusted source.
async fn find_config(wanted: &Wanted, terminal: &Terminal) -> Result<PathBuf> {
    let config = std::path::absolute("mcp.json")?;
    require_config(&config)?;
    let shown = table::escape_for_terminal(&config.display().to_string());
    let question =
        format!("Start the servers in {shown}? They are programs that run with your permissions.");
    match wanted.what {
        Mode::Chat if terminal.consents(question).await? == Consent::Yes => Ok(config),
        _ => Err(Error::invalid_argument(format!(
            "to use {shown}, pass its path\n{}",
            options::USAGE
        ))),
    }
}

fn connect(wanted: &Wanted, config: &Path, terminal: &Terminal) -> Result<McpHost> {
    let host = McpHost::builder()
        .name("desktop")
        .version(env!("CARGO_PKG_VERSION"))
        .connect_timeout(PATIENCE)
        .config_file(config)?
        .on_event(|event| match event {
            McpEvent::State { state: ServerState::Closed, .. } => {}
            McpEvent::State { server, state, .. } => eprintln!("({server} is {state})"),
            McpEvent::Log { server, level, data, .. } => {
                eprintln!("({server}, {level:?}: {})", table::line(&data.to_string(), LOGGED));
            }
            McpEvent::ToolsChanged { server, .. } => {
                eprintln!("({server} changed its list of tools)")
            }
            McpEvent::ToolChanged { server, tool, .. } => {
                eprintln!("({server}/{} has changed)", table::line(tool, LOGGED));
            }
            _ => {}
        });
    let host = match wanted.what {
        // Without a user, questions are declined.
        Mode::Demo => host,
        _ => {
            let terminal = terminal.clone();
            host.on_elicit(move |asked| terminal.clone().elicit(asked))
        }
    };
    host.build()
}

async fn run(wanted: &Wanted, host: &McpHost, terminal: &Terminal) -> Result<()> {
    for notice in host.notices() {
        eprintln!("({notice})");
    }
    host.ready().await;
    terminal.tell(&table::table(host).await)?;
    if wanted.what == Mode::List {
        return Ok(());
    }
    let model = offline::model(wanted.model.clone(), "selects tools by keywords");
    let always = Always::default();
    let mut talk = Talk::new(host, model, terminal.clone(), always.clone());
    if wanted.what == Mode::Demo {
        // The demo is allowed to make this call.
        always.add(DEMO_TOOL, None);
        terminal.tell(&format!("\n> {DEMO}"))?;
        return talk.say(DEMO, false).await;
    }
    terminal.tell("\nAsk a question. Enter an empty line to quit.")?;
    let echo = !std::io::stdin().is_terminal();
    loop {
        let line = terminal.line("\n>".to_owned(), echo).await?;
        let Some(line) = line.filter(|line| !line.is_empty()) else { return Ok(()) };
        // The conversation continues after a failed turn.
        if let Err(error) = talk.say(&line, true).await {
            terminal.tell(&format!("error     {}", table::escape_for_terminal(&error.chain())))?;
        }
    }
}
