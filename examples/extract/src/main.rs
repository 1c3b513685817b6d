//! Extracts a typed invoice from text.
//!
//! ```text
//! cargo run -p extract                                a built-in e-mail
//! cargo run -p extract -- mail.txt                    a file
//! cat mail.txt | cargo run -p extract -- --model NAME standard input, another model
//! ```
//!
//! Writes JSON to standard output, and partial results and missing values to standard error.

#![allow(clippy::print_stdout, reason = "an interactive program")]

mod invoice;

use std::io::{IsTerminal as _, Read as _, Write};

use genkit::model::IntoModel;
use genkit::{Error, ErrorContext as _, Result};
use invoice::Invoice;

const USAGE: &str = "usage: extract [--model NAME] [--sample | FILE]";

const SAMPLE: &str = include_str!("../sample.txt");

const SYSTEM: &str = "You read invoices. Copy all values from the text, word for word. Omit values \
                      that it does not contain, and do not guess.";

/// The options of the command line.
#[derive(Default)]
struct Options {
    help: bool,
    sample: bool,
    model: Option<String>,
    file: Option<String>,
}

fn parse_options(arguments: impl IntoIterator<Item = String>) -> Result<Options> {
    let wrong = |said: String| Error::invalid_argument(format!("{said}\n{USAGE}"));
    let mut wanted = Options::default();
    let mut arguments = arguments.into_iter();
    while let Some(argument) = arguments.next() {
        match argument.as_str() {
            "-h" | "--help" => wanted.help = true,
            "--sample" => wanted.sample = true,
            "--model" => {
                let name =
                    arguments.next().ok_or_else(|| wrong("--model needs a value".to_owned()))?;
                wanted.model = Some(name);
            }
            flag if flag.starts_with('-') => {
                return Err(wrong(format!("unknown option {flag}")));
            }
            _ if wanted.file.is_some() => return Err(wrong("expected one file".to_owned())),
            _ => wanted.file = Some(argument),
        }
    }
    Ok(wanted)
}

/// Returns the input text.
fn text(wanted: &Options) -> Result<String> {
    let text = if let Some(file) = &wanted.file {
        std::fs::read_to_string(file).context(format!("cannot read {file}"))?
    } else if wanted.sample || std::io::stdin().is_terminal() {
        eprintln!("(using a built-in e-mail; pass a file to read another text)\n\n{SAMPLE}");
        SAMPLE.to_owned()
    } else {
        let mut text = String::new();
        std::io::stdin().read_to_string(&mut text).context("cannot read standard input")?;
        text
    };
    match text.trim().is_empty() {
        true => Err(Error::invalid_argument(format!("the input is empty\n{USAGE}"))),
        false => Ok(text),
    }
}

/// Extracts an invoice and displays partial results while the response is streamed.
async fn extract(
    text: &str,
    model: impl IntoModel,
    progress: &mut impl Write,
    terminal: bool,
) -> Result<Invoice> {
    let run = genkit::generate(text).system(SYSTEM).model(model).extract::<Invoice>();
    // An invalid response is sent back to the model, once by default.
    let mut stream = run.validate(Invoice::check).stream();
    let mut shown = String::new();
    while let Some(chunk) = stream.next().await {
        if let Some(retry) = chunk?.output_retry() {
            // Discard the partial results.
            let line_end = if terminal && !shown.is_empty() { "\n" } else { "" };
            writeln!(progress, "{line_end}retrying: {}", retry.reason)?;
            shown.clear();
            continue;
        }
        // A partial value of the same type.
        let Some(so_far) = stream.output::<Invoice>() else { continue };
        let summary = so_far.summary();
        if summary.is_empty() {
            continue;
        }
        // On a terminal, overwrite one line; in a file, write a line for each new field.
        let fields = |summary: &str| summary.split(" · ").count();
        if terminal && summary != shown {
            let line: String = summary.chars().take(100).collect();
            write!(progress, "\r\x1b[2Kfound: {line}")?;
            progress.flush()?;
        } else if !terminal && (shown.is_empty() || fields(&summary) != fields(&shown)) {
            writeln!(progress, "found: {summary}")?;
        }
        shown = summary;
    }
    if terminal && !shown.is_empty() {
        writeln!(progress)?;
    }
    let invoice: Invoice = stream.response().await?.output()?;
    match invoice.summary().is_empty() {
        true => Err(Error::not_found("no invoice found in this text")),
        false => Ok(invoice),
    }
}

#[tokio::main]
async fn main() -> Result<()> {
    let wanted = parse_options(std::env::args().skip(1))?;
    if wanted.help {
        println!("{USAGE}");
        return Ok(());
    }
    let text = text(&wanted)?;
    let model = offline::model(wanted.model, "fills the form by matching words");
    let mut progress = std::io::stderr();
    let terminal = progress.is_terminal();
    let invoice = extract(&text, model, &mut progress, terminal).await?;
    println!("{}", genkit::serde_json::to_string_pretty(&invoice)?);
    for doubt in invoice.doubts() {
        eprintln!("({doubt})");
    }
    Ok(())
}

#[cfg(test)]
mod tests;
