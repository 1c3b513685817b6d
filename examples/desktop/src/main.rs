//! A desktop without windows: the servers of an `mcp.json`, and a chat with all that they offer.
//!
//! ```text
//! cargo run -p desktop -- examples/desktop/mcp.json           chat
//! cargo run -p desktop -- examples/desktop/mcp.json --list    only show what there is
//! cargo run -p desktop -- examples/desktop/mcp.json --demo    one question, and nobody is asked
//! cargo run -p desktop -- --model NAME ..                     another model
//! ```
//!
//! Without a path it is `mcp.json` of the folder that it is started in. Before a tool that may destroy
//! something it asks; a tool that says nothing of itself may.

#![allow(clippy::print_stdout, reason = "this is a program for a person")]

#[path = "../../quickstart/src/model.rs"]
mod model;
mod table;
mod talk;
mod terminal;
mod wanted;

use std::io::IsTerminal as _;
use std::time::Duration;

use genkit::mcp::host::{McpEvent, McpHost, ServerState};
use genkit::{Error, Result};

use talk::Talk;
use terminal::Terminal;
use wanted::{Wanted, What};

/// Package runners install a server on its first start.
const PATIENCE: Duration = Duration::from_secs(300);

const DEMO: &str = "Add a note that says: buy milk.";

#[tokio::main]
async fn main() -> Result<()> {
    let wanted = Wanted::read(std::env::args().skip(1))?;
    if wanted.what == What::Help {
        println!("{}", wanted::USAGE);
        return Ok(());
    }
    if !wanted.config.exists() {
        let said = format!(
            "there is no {}; this repository has examples/desktop/mcp.json",
            wanted.config.display()
        );
        return Err(Error::not_found(said));
    }
    let terminal = Terminal::standard();
    let host = connect(&wanted, &terminal)?;
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

fn connect(wanted: &Wanted, terminal: &Terminal) -> Result<McpHost> {
    let host = McpHost::builder()
        .name("desktop")
        .version(env!("CARGO_PKG_VERSION"))
        .connect_timeout(PATIENCE)
        .config_file(&wanted.config)?
        .on_event(|event| match event {
            McpEvent::State { state: ServerState::Closed, .. } => {}
            McpEvent::State { server, state, .. } => eprintln!("({server} is {state})"),
            McpEvent::Log { server, level, data, .. } => {
                eprintln!("({server}, {level:?}: {data})");
            }
            McpEvent::ToolsChanged { server, .. } => eprintln!("({server} has other tools now)"),
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
    let model = model::model(wanted.model.clone(), "picks tools by the words of a question");
    let mut talk = Talk::new(host, model, terminal.clone());
    if wanted.what == What::Demo {
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
            terminal.tell(&format!("error     {}", error.chain()))?;
        }
    }
}
