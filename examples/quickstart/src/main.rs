//! A few tools that a model calls in this program, and that MCP clients call from outside.
//!
//! ```text
//! cargo run -p quickstart                         ask a model and show every step
//! cargo run -p quickstart -- "What is 7 + 8?"     ask your own question
//! cargo run -p quickstart -- --model NAME ..      use this model, for example gemini/gemini-2.5-pro
//! cargo run -p quickstart -- --http 127.0.0.1:0   serve the tools over HTTP at /mcp
//! cargo run -p quickstart -- --help               show all flags of the server
//! ```
//!
//! If standard input is a pipe, as when an MCP client starts the program, it serves the tools on stdio, unless
//! `--demo` is set.

#![allow(clippy::print_stdout, reason = "an interactive program")]

mod ask;
mod tools;

use std::io::IsTerminal as _;

use genkit::{Error, Result};

const USAGE: &str = "usage: quickstart [--demo] [--model NAME] [QUESTION]";

/// The mode of the program.
#[derive(Debug, PartialEq)]
enum Mode {
    Help,
    /// Serve, with the command line of a server.
    Server,
    Ask {
        question: Option<String>,
        model: Option<String>,
    },
}

/// Parses the command line. In a terminal the program asks a model by default.
fn parse_mode(arguments: impl IntoIterator<Item = String>, terminal: bool) -> Result<Mode> {
    let wrong = |said: String| Error::invalid_argument(format!("{said}\n{USAGE}"));
    let (mut question, mut model, mut ask) = (None, None, terminal);
    let mut arguments = arguments.into_iter();
    while let Some(argument) = arguments.next() {
        let mut value =
            || arguments.next().ok_or_else(|| wrong(format!("{argument} needs a value")));
        match argument.as_str() {
            "-h" | "--help" => return Ok(Mode::Help),
            "--model" => model = Some(value()?),
            "--demo" => ask = true,
            flag if flag.starts_with('-') => return Ok(Mode::Server),
            _ if question.is_some() => {
                return Err(wrong("expected one question; put quotes around it".to_owned()));
            }
            _ => question = Some(argument),
        }
    }
    match ask || question.is_some() || model.is_some() {
        true => Ok(Mode::Ask { question, model }),
        false => Ok(Mode::Server),
    }
}

#[tokio::main]
async fn main() -> Result<()> {
    let server = || {
        genkit::log_to_stderr();
        let server = genkit::serve_mcp().name("quickstart").version(env!("CARGO_PKG_VERSION"));
        server.health("/health").cli()
    };
    match parse_mode(std::env::args().skip(1), std::io::stdin().is_terminal())? {
        Mode::Help => {
            println!(
                "To ask a model: {}\n\nTo serve, with the flags of every server:\n",
                USAGE.trim_start_matches("usage: ")
            );
            server().await?;
        }
        Mode::Server => server().await?,
        Mode::Ask { question, model } => {
            let model = offline::model(model, "selects tools by keywords");
            let mut out = std::io::stdout();
            if let Some(question) = question {
                return ask::ask(&question, model, &mut out).await;
            }
            for question in ask::QUESTIONS {
                ask::ask(question, model.clone(), &mut out).await?;
                println!();
            }
            ask::print_next_steps(&mut out)?;
        }
    }
    Ok(())
}

#[cfg(test)]
mod tests {
    use super::*;

    fn read(line: &str, terminal: bool) -> Result<Mode> {
        parse_mode(line.split_whitespace().map(str::to_owned), terminal)
    }

    #[test]
    fn mode_is_server_without_a_terminal_and_ask_in_a_terminal() {
        let ask = |question: Option<&str>, model: Option<&str>| Mode::Ask {
            question: question.map(str::to_owned),
            model: model.map(str::to_owned),
        };
        assert_eq!(read("", false).unwrap(), Mode::Server);
        assert_eq!(read("", true).unwrap(), ask(None, None));
        assert_eq!(read("--demo", false).unwrap(), ask(None, None));
        assert_eq!(read("why?", false).unwrap(), ask(Some("why?"), None));
        assert_eq!(read("--model m why?", false).unwrap(), ask(Some("why?"), Some("m")));
        assert_eq!(read("--http :0", true).unwrap(), Mode::Server);
        assert_eq!(read("--help", false).unwrap(), Mode::Help);
    }

    #[test]
    fn invalid_argument_is_named() {
        for (line, said) in
            [("--model", "--model needs a value"), ("two words", "put quotes around it")]
        {
            let error = read(line, true).unwrap_err().to_string();
            assert!(error.contains(said) && error.contains("usage: "), "{error}");
        }
    }
}
