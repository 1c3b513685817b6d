//! An agent that manages a bank account and asks for approval before it acts.
//!
//! ```text
//! cargo run -p approval                                      talk to it
//! cargo run -p approval -- "Transfer 50 euros to Ada"        one request
//! cargo run -p approval -- --state DIR --model NAME ..       use another folder or model
//! ```
//!
//! If you stop it while it asks (Ctrl-C), the question is saved in a file, and the next start asks it again. With
//! `--stop-at-question` it stops there automatically.

#![allow(clippy::print_stdout, reason = "an interactive program")]

mod account;
mod agent;
mod person;
mod tools;

use std::io::IsTerminal as _;
use std::path::PathBuf;

use agent::{Agent, Outcome};
use genkit::{Error, Result};
use person::Person;

const USAGE: &str = "usage: approval [--state DIR] [--model NAME] [--stop-at-question] [REQUEST]";

const HELLO: &str = "This is a small account. Try: What is my balance?  Transfer 50 euros to Ada.  \
                     Delete Linus.  Enter an empty line to quit.";

/// The options of the command line.
#[derive(Default)]
struct Options {
    help: bool,
    state: Option<PathBuf>,
    model: Option<String>,
    stop: bool,
    request: Option<String>,
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
            "--state" => wanted.state = Some(value()?.into()),
            "--model" => wanted.model = Some(value()?),
            "--stop-at-question" => wanted.stop = true,
            flag if flag.starts_with('-') => {
                return Err(wrong(format!("unknown option {flag}")));
            }
            _ if wanted.request.is_some() => {
                return Err(wrong("expected one request; put quotes around it".to_owned()));
            }
            _ => wanted.request = Some(argument),
        }
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
    let folder = wanted.state.unwrap_or_else(|| std::env::temp_dir().join("genkit-approval"));
    let mut agent = Agent::open(
        &folder,
        offline::model(wanted.model, "selects tools by keywords"),
        wanted.stop,
    )?;
    let input = std::io::stdin().lock();
    let echo = !input.is_terminal();
    let mut person = Person { input, output: std::io::stdout(), echo };
    eprintln!("(state: {})", folder.display());
    if agent.resume_open_question(&mut person).await? == Some(Outcome::Waiting) {
        return Ok(());
    }
    if let Some(request) = wanted.request {
        agent.ask(&request, &mut person).await?;
        return Ok(());
    }
    person.tell(HELLO)?;
    while let Some(request) = person.line("\n>")?.filter(|line| !line.is_empty()) {
        if agent.ask(&request, &mut person).await? == Outcome::Waiting {
            break;
        }
    }
    Ok(())
}

#[cfg(test)]
mod tests;
