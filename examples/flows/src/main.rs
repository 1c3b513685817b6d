//! Flows over HTTP.
//!
//! ```text
//! cargo run -p flows                        on 127.0.0.1, port $PORT or 3400
//! cargo run -p flows -- --http 127.0.0.1:0  on another address
//!
//! curl http://127.0.0.1:3400/greet -H 'content-type: application/json' -d '{"data": {"who": "Ann"}}'
//! curl -N 'http://127.0.0.1:3400/count?stream=true' -H 'content-type: application/json' -d '{"data": {"n": 3}}'
//! ```

#![allow(clippy::print_stdout, reason = "an interactive program")]

mod flows;

use genkit::{Error, Result};

const USAGE: &str = "usage: flows [--http ADDRESS]";

/// The mode of the program.
#[derive(Debug, PartialEq)]
enum Mode {
    Help,
    Serve { address: Option<String> },
}

fn parse_mode(arguments: impl IntoIterator<Item = String>) -> Result<Mode> {
    let wrong = |said: String| Error::invalid_argument(format!("{said}\n{USAGE}"));
    let mut address = None;
    let mut arguments = arguments.into_iter();
    while let Some(argument) = arguments.next() {
        match argument.as_str() {
            "-h" | "--help" => return Ok(Mode::Help),
            "--http" => {
                let given = arguments.next();
                address = Some(given.ok_or_else(|| wrong("--http needs a value".to_owned()))?);
            }
            other => return Err(wrong(format!("unknown option {other}"))),
        }
    }
    Ok(Mode::Serve { address })
}

#[tokio::main]
async fn main() -> Result<()> {
    let Mode::Serve { address } = parse_mode(std::env::args().skip(1))? else {
        println!("{USAGE}");
        return Ok(());
    };
    genkit::log_to_stderr();
    let model = offline::model(None, "answers by matching words");
    let genkit = genkit::Genkit::builder().default_model(model.clone()).state(model).build()?;
    let server = genkit
        .serve_flows()
        // These flows have no secrets, so every web page may call them.
        .cors(["*"])
        .durable_streams(true);
    match address {
        Some(address) => server.http(address).await,
        None => server.await,
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn address_argument_is_parsed_and_errors_are_named() {
        let read = |line: &str| parse_mode(line.split_whitespace().map(str::to_owned));
        assert_eq!(read("").unwrap(), Mode::Serve { address: None });
        let address = Some("127.0.0.1:0".to_owned());
        assert_eq!(read("--http 127.0.0.1:0").unwrap(), Mode::Serve { address });
        assert_eq!(read("--help").unwrap(), Mode::Help);
        for line in ["--http", "--port 1"] {
            assert!(read(line).unwrap_err().to_string().contains(USAGE), "{line}");
        }
    }

    #[test]
    fn registry_is_sound() {
        genkit::testing::check().unwrap();
    }
}
