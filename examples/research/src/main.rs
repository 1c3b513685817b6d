//! Answers questions about the planets from documents that are embedded in the program.
//!
//! ```text
//! cargo run -p research                                          a built-in question
//! cargo run -p research -- "Which planets have rings?"           your own question
//! cargo run -p research -- "Was it wet? See planet://mars"       with a document attached
//! cargo run -p research -- --model NAME --turns 3 ..             another model, fewer turns
//! ```

#![allow(clippy::print_stdout, reason = "an interactive program")]

mod corpus;
mod tools;
mod view;

use std::io::{IsTerminal as _, Write};

use genkit::model::{FinishReason, IntoModel};
use genkit::{Error, Part, Result};
use tools::{compare, read, search};
use view::{Times, View, count};

const USAGE: &str = "usage: research [--model NAME] [--turns N] [QUESTION]";

const QUESTION: &str =
    "Search for 'rings', read about Saturn, and compare the moons of Saturn and Uranus.";

const SYSTEM: &str = "You answer questions about the planets only from the documents. Search \
                      first, read the relevant pages, compare numbers with the tool, and name the \
                      documents that you used. If they do not contain the answer, say so.";

/// The options of the command line.
struct Options {
    help: bool,
    model: Option<String>,
    turns: usize,
    question: Option<String>,
}

fn parse_options(arguments: impl IntoIterator<Item = String>) -> Result<Options> {
    let wrong = |said: String| Error::invalid_argument(format!("{said}\n{USAGE}"));
    let mut wanted = Options { help: false, model: None, turns: 8, question: None };
    let mut arguments = arguments.into_iter();
    while let Some(argument) = arguments.next() {
        let mut value =
            || arguments.next().ok_or_else(|| wrong(format!("{argument} needs a value")));
        match argument.as_str() {
            "-h" | "--help" => wanted.help = true,
            "--model" => wanted.model = Some(value()?),
            "--turns" => {
                let turns = value()?;
                let no_number = |_| wrong(format!("`--turns {turns}` is not a number"));
                wanted.turns = turns.parse().map_err(no_number)?;
            }
            flag if flag.starts_with('-') => {
                return Err(wrong(format!("unknown option {flag}")));
            }
            _ if wanted.question.is_some() => {
                return Err(wrong("expected one question; put quotes around it".to_owned()));
            }
            _ => wanted.question = Some(argument),
        }
    }
    Ok(wanted)
}

/// Returns the question and the documents whose URIs it contains.
fn parts(question: &str) -> Vec<Part> {
    let words = question.split_whitespace();
    let addresses = words.map(|word| word.trim_end_matches(|c: char| !c.is_alphanumeric()));
    let documents = addresses.filter(|word| word.starts_with("planet://")).map(Part::resource_link);
    std::iter::once(Part::text(question)).chain(documents).collect()
}

/// Asks a question and displays the run while it is in progress.
async fn research(
    question: &str,
    model: impl IntoModel,
    turns: usize,
    times: Times,
    view: &mut View<impl Write>,
) -> Result<()> {
    let mut stream = genkit::generate(parts(question))
        .system(SYSTEM)
        .model(model)
        .tools(genkit::tools![search, read, compare])
        .max_turns(turns)
        .middleware(times.measure())
        .stream();
    while let Some(chunk) = stream.next().await {
        match chunk {
            Ok(chunk) => view.chunk(&chunk)?,
            Err(error) => {
                // Show the results so far, for example if the model is down or the quota is exhausted.
                if let Some(done) = error.partial() {
                    view.found(done)?;
                }
                return Err(error);
            }
        }
    }
    let response = stream.response().await?;
    if response.finish_reason == Some(FinishReason::Aborted) {
        view.found(&response)?;
        let limit = count(turns, "round");
        view.line(&format!(
            "(stopped at the limit of {limit} of tool calls; use --turns N to allow more)"
        ))?;
    }
    view.line("")?;
    Ok(view.usage(&response)?)
}

#[tokio::main]
async fn main() -> Result<()> {
    let wanted = parse_options(std::env::args().skip(1))?;
    if wanted.help {
        println!("{USAGE}");
        return Ok(());
    }
    let model = offline::model(wanted.model, "selects tools by keywords");
    let question = wanted.question.unwrap_or_else(|| QUESTION.to_owned());
    println!("ask     {question}");
    let out = std::io::stdout();
    let terminal = out.is_terminal();
    let times = Times::default();
    let mut view = View::new(out, terminal, times.clone());
    research(&question, model, wanted.turns, times, &mut view).await
}

#[cfg(test)]
mod tests;
