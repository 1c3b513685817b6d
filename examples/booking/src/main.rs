//! An agent that books a trip and asks for approval before it pays. If you kill it with `kill -9`, the next start resumes
//! the run.
//!
//! ```text
//! cargo run -p booking                                 books, and stops at the question
//! cargo run -p booking -- --yes                        approves the payment; `--no` declines it
//! cargo run -p booking -- --trip ID ..                 another trip; the same id is the same run
//! cargo run -p booking -- --store postgres://..        stores runs in Postgres; the default is SQLite
//! cargo run -p booking -- runs list                    commands for operators; `runs help` lists them
//! cargo run -p booking -- --restate http://127.0.0.1:8080   uses a Restate server (`npx @restatedev/restate-server`)
//! cargo run -p booking -- --model NAME --slow MS ..    a real model; a slow booking service
//! ```
//!
//! `agency.jsonl` next to the store contains each booking exactly once, even if the agent was killed. The lease of a
//! killed process lasts up to 30 seconds, and the next process waits until it expires. On Restate the run continues
//! immediately.

#![allow(clippy::print_stdout, reason = "an interactive program")]

mod agency;
mod restate;
mod scripted_model;
mod tools;

use std::io::{BufRead as _, IsTerminal as _, Write as _};
use std::path::PathBuf;
use std::time::Duration;

use genkit::{Error, ErrorContext as _, GenerateResponse, Genkit, Interrupt, Result};
use genkit_postgres::PostgresStore;
use genkit_sqlite::SqliteStore;

use crate::agency::Agency;
use crate::restate::Trip;

const USAGE: &str = "usage: booking [--store FILE|postgres://..] [--state DIR] [--trip ID] [--yes|--no] \
                     [--model NAME] [--slow MILLISECONDS]\n       \
                     booking [--store ..] [--state DIR] runs COMMAND ..\n       \
                     booking --restate URL [--admin URL] [--worker HOST:PORT] ..";

const SYSTEM: &str = "You book trips. Search for flights first, then book the cheapest and a hotel, then pay both in one \
                      charge. The program asks the user for approval, so do not ask yourself. Answer in one sentence.";

/// The options of the command line.
#[derive(Default)]
struct Options {
    help: bool,
    store: Option<String>,
    /// The ingress of a Restate server, its admin API, and the address of this worker.
    restate: Option<String>,
    admin: Option<String>,
    worker: Option<String>,
    state: Option<PathBuf>,
    trip: Option<String>,
    /// The answer to every question.
    answer: Option<bool>,
    model: Option<String>,
    slow: Duration,
    /// The arguments after `runs`.
    runs: Option<Vec<String>>,
}

fn parse_options(arguments: impl IntoIterator<Item = String>) -> Result<Options> {
    let wrong = |said: String| Error::invalid_argument(format!("{said}\n{USAGE}"));
    let mut wanted = Options::default();
    let mut arguments = arguments.into_iter();
    while let Some(argument) = arguments.next() {
        let mut value =
            || arguments.next().ok_or_else(|| wrong(format!("{argument} needs a value")));
        match argument.as_str() {
            "-h" | "--help" => wanted.help = true,
            "--store" => wanted.store = Some(value()?),
            "--restate" => wanted.restate = Some(value()?),
            "--admin" => wanted.admin = Some(value()?),
            "--worker" => wanted.worker = Some(value()?),
            "--state" => wanted.state = Some(value()?.into()),
            "--trip" => wanted.trip = Some(value()?),
            "runs" => wanted.runs = Some(arguments.by_ref().collect()),
            "--yes" => wanted.answer = Some(true),
            "--no" => wanted.answer = Some(false),
            "--model" => wanted.model = Some(value()?),
            "--slow" => {
                let given = value()?;
                let millis = given.parse();
                let millis =
                    millis.map_err(|_| wrong(format!("`--slow {given}` is not a number")))?;
                wanted.slow = Duration::from_millis(millis);
            }
            other => return Err(wrong(format!("unknown option {other}"))),
        }
    }
    if wanted.restate.is_some() && wanted.store.is_some() {
        return Err(wrong("--restate and --store cannot be combined".to_owned()));
    }
    if wanted.restate.is_none() && (wanted.admin.is_some() || wanted.worker.is_some()) {
        return Err(wrong("--admin and --worker require --restate".to_owned()));
    }
    Ok(wanted)
}

#[tokio::main]
async fn main() -> Result<()> {
    let wanted = parse_options(std::env::args().skip(1))?;
    if wanted.help {
        println!("{USAGE}");
        return Ok(());
    }
    let folder = wanted.state.unwrap_or_else(|| std::env::temp_dir().join("genkit-booking"));
    std::fs::create_dir_all(&folder).context(format!("cannot create {}", folder.display()))?;
    let agency = Agency::open(folder.join("agency.jsonl"), wanted.slow);
    let builder = Genkit::builder().state(agency);
    let builder = match &wanted.store {
        _ if wanted.restate.is_some() => builder,
        Some(url) if url.starts_with("postgres") => {
            builder.durable(PostgresStore::connect(url).await?)
        }
        Some(file) => builder.durable(SqliteStore::open(file)?),
        None => builder.durable(SqliteStore::open(folder.join("runs.db"))?),
    };
    let builder = match wanted.model {
        Some(name) => builder.default_model(name),
        None => builder.default_model(scripted_model::model(wanted.slow)),
    };
    let genkit = builder.build()?;
    if let Some(command) = wanted.runs {
        print!("{}", genkit.runs().command(command).await?);
        return Ok(());
    }
    let trip = wanted.trip.unwrap_or_else(|| "trip-1".to_owned());
    // Pass the tools by name, so that another process can look them up in its registry.
    let ask = genkit.generate("Book me two nights in Lisbon.").system(SYSTEM);
    let ask = ask.tools(["search_flights", "book_flight", "book_hotel", "pay"]);
    let (run, is_known) = match &wanted.restate {
        Some(url) => {
            let admin = wanted.admin.as_deref().unwrap_or("http://127.0.0.1:9070");
            let worker = wanted.worker.as_deref().unwrap_or("127.0.0.1:9080");
            restate::trip(&genkit, url, admin, worker, &trip, ask).await?
        }
        None => {
            let is_known = genkit.find_durable_run(&trip).await?.is_some();
            (Trip::Stored(genkit.durable_run(&trip, ask).await?), is_known)
        }
    };
    println!(
        "{trip} {}: {}",
        if is_known { "resumed" } else { "started" },
        run.status().await?.as_str()
    );
    let response = settle(&run, wanted.answer).await?;
    match response.interrupts()[..] {
        [] => println!("{}", response.text()),
        _ => println!("The run is waiting for an answer; start again with --yes or --no."),
    }
    Ok(())
}

/// Drives the run and asks the user its questions, until it finishes or a question remains open.
async fn settle(run: &Trip, answer: Option<bool>) -> Result<GenerateResponse> {
    loop {
        let response = run.wait().await?;
        if !response.is_interrupted() {
            return Ok(response);
        }
        let mut is_answered = true;
        for question in response.interrupts() {
            match answer.map_or_else(|| ask(&question), |answer| Ok(Some(answer)))? {
                Some(answer) => run.answer(question.key(), answer).await?,
                None => is_answered = false,
            }
        }
        if !is_answered {
            return Ok(response);
        }
    }
}

/// Asks the user at the terminal. Returns `None` without a terminal or an answer.
fn ask(question: &Interrupt) -> Result<Option<bool>> {
    println!("? {}", question.message().unwrap_or("The agent has a question."));
    if !std::io::stdin().is_terminal() {
        return Ok(None);
    }
    print!("  y (yes), n (no), anything else to leave it open: ");
    std::io::stdout().flush()?;
    let mut line = String::new();
    std::io::stdin().lock().read_line(&mut line)?;
    Ok(match line.trim() {
        "y" | "yes" => Some(true),
        "n" | "no" => Some(false),
        _ => None,
    })
}
