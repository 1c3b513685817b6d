//! A desktop without windows: the servers of an `mcp.json`, and a chat with all that they offer.
//!
//! ```text
//! cargo run -p desktop -- examples/desktop/mcp.json           chat
//! cargo run -p desktop -- examples/desktop/mcp.json --list    only show what there is
//! cargo run -p desktop -- examples/desktop/mcp.json --demo    one question, and nobody is asked
//! cargo run -p desktop -- --model NAME ..                     another model
//! ```
//!
//! Without a path it asks whether to take `mcp.json` of the folder that it is started in: whoever wrote
//! that file says which programs are started. Before each call of a tool it asks as well, until the
//! user says "always" for that tool as it is; what servers say of their tools decides nothing.

#![allow(clippy::print_stdout, reason = "this is a program for a person")]

mod table;
mod talk;
mod terminal;
mod wanted;

use std::io::IsTerminal as _;
use std::path::{Path, PathBuf};
use std::time::Duration;

use genkit::mcp::host::{McpEvent, McpHost, ServerState};
use genkit::{Error, Result};

use talk::{Always, Talk};
use terminal::{Consent, Terminal};
use wanted::{Wanted, What};

/// Package runners install a server on its first start.
const PATIENCE: Duration = Duration::from_secs(300);

/// How much of a log line is shown, in characters.
const LOGGED: usize = 200;

const DEMO_TOOL: &str = "notes/add_note";

const DEMO: &str = "Add a note that says: buy milk.";

#[tokio::main]
async fn main() -> Result<()> {
    let wanted = Wanted::read(std::env::args().skip(1))?;
    if wanted.what == What::Help {
        println!("{}", wanted::USAGE);
        return Ok(());
    }
    let terminal = Terminal::standard();
    let config = match &wanted.config {
        Some(named) => existing(named)?,
        None => found(&wanted, &terminal).await?,
    };
    let host = connect(&wanted, &config, &terminal)?;
    let done = tokio::select! {
        done = run(&wanted, &host, &terminal) => done,
        _ = tokio::signal::ctrl_c() => {
            host.close().await;
            // A line may be waited for, which nothing can end.
            std::process::exit(130);
        }
    };
    // The servers end before this program does.
    host.close().await;
    done
}

fn existing(config: &Path) -> Result<PathBuf> {
    if config.exists() {
        return Ok(config.to_owned());
    }
    let config = config.display();
    let said = format!("there is no {config}; this repository has examples/desktop/mcp.json");
    Err(Error::not_found(said))
}

/// The file of this folder, which nobody has named: it may be somebody else's.
async fn found(wanted: &Wanted, terminal: &Terminal) -> Result<PathBuf> {
    let config = std::path::absolute("mcp.json")?;
    existing(&config)?;
    let shown = table::shown(&config.display().to_string());
    let question = format!("Start the servers of {shown}? They are programs, and run as you.");
    match wanted.what {
        What::Chat if terminal.consents(question).await? == Consent::Yes => Ok(config),
        _ => Err(Error::invalid_argument(format!("to use {shown}, name it\n{}", wanted::USAGE))),
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
            McpEvent::ToolsChanged { server, .. } => eprintln!("({server} has other tools now)"),
            McpEvent::ToolChanged { server, tool, .. } => {
                eprintln!("({server}/{} is another tool than it was)", table::line(tool, LOGGED));
            }
            _ => {}
        });
    let host = match wanted.what {
        // Nobody is there: questions are declined.
        What::Demo => host,
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
    if wanted.what == What::List {
        return Ok(());
    }
    let model = offline::model(wanted.model.clone(), "picks tools by the words of a question");
    let always = Always::default();
    let mut talk = Talk::new(host, model, terminal.clone(), always.clone());
    if wanted.what == What::Demo {
        // Whoever starts the demo wants this one call.
        always.add(DEMO_TOOL, None);
        terminal.tell(&format!("\n> {DEMO}"))?;
        return talk.say(DEMO, false).await;
    }
    terminal.tell("\nAsk something. An empty line ends.")?;
    let echo = !std::io::stdin().is_terminal();
    loop {
        let line = terminal.line("\n>".to_owned(), echo).await?;
        let Some(line) = line.filter(|line| !line.is_empty()) else { return Ok(()) };
        // The talk goes on where a turn failed.
        if let Err(error) = talk.say(&line, true).await {
            terminal.tell(&format!("error     {}", table::shown(&error.chain())))?;
        }
    }
}
