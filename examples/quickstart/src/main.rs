//! A few tools, called in memory and served to any MCP client.
//!
//! ```text
//! cargo run -p quickstart -- --demo               list the tools and call them, here
//! cargo run -p quickstart                         serve them on stdio
//! cargo run -p quickstart -- --http 127.0.0.1:0   serve them over HTTP at /mcp
//! ```

mod demo;

use std::io::IsTerminal as _;

use genkit::schemars::JsonSchema;
use genkit::serde::{Deserialize, Serialize};
use genkit::{Error, Result, prompt, tool};

/// Adds two whole numbers.
#[tool(read_only)]
async fn add(
    /// The first number.
    a: i64,
    /// The second number.
    b: i64,
) -> Result<i64> {
    a.checked_add(b).ok_or_else(|| Error::invalid_argument("the sum does not fit into 64 bits"))
}

/// A unit of temperature.
#[derive(Clone, Copy, Debug, Default, Serialize, Deserialize, JsonSchema)]
#[serde(crate = "genkit::serde", rename_all = "lowercase")]
#[schemars(crate = "genkit::schemars")]
enum Unit {
    /// Degrees Celsius.
    #[default]
    Celsius,
    /// Degrees Fahrenheit.
    Fahrenheit,
}

/// A temperature in another unit.
#[derive(Debug, Serialize, JsonSchema)]
#[serde(crate = "genkit::serde")]
#[schemars(crate = "genkit::schemars")]
struct Temperature {
    /// How many degrees.
    degrees: f64,
    /// Of which unit.
    unit: Unit,
}

/// Converts a temperature between Celsius and Fahrenheit.
#[tool(title = "Convert a temperature", read_only, idempotent)]
async fn convert_temperature(
    /// How many degrees.
    degrees: f64,
    /// The unit of the answer; the question is in the other one.
    #[arg(default)]
    to: Unit,
) -> Temperature {
    let degrees = match to {
        Unit::Celsius => (degrees - 32.0) * 5.0 / 9.0,
        Unit::Fahrenheit => degrees * 9.0 / 5.0 + 32.0,
    };
    Temperature { degrees: (degrees * 10.0).round() / 10.0, unit: to }
}

/// Counts the words of a text.
#[tool(read_only)]
async fn count_words(
    /// The text.
    text: String,
) -> usize {
    text.split_whitespace().count()
}

/// Asks for an explanation that a child would understand.
#[prompt]
async fn explain(
    /// What is explained.
    topic: String,
    /// How old the child is.
    #[arg(default = 8)]
    age: u8,
) -> String {
    format!("Explain {topic} to a child of {age} years, in five sentences.")
}

#[tokio::main]
async fn main() -> Result<()> {
    let server = genkit::serve_mcp().name("quickstart").version(env!("CARGO_PKG_VERSION"));
    let arguments: Vec<String> = std::env::args().skip(1).collect();
    match arguments.iter().map(String::as_str).collect::<Vec<_>>()[..] {
        ["--demo"] => demo::run(server).await,
        // A person who starts it in a terminal wants to see something; a client has a pipe.
        [] if std::io::stdin().is_terminal() => demo::run(server).await,
        [] => server.await,
        ["--http", address] => server.http(address).await,
        _ => Err(Error::invalid_argument("usage: quickstart [--demo | --http ADDRESS]")),
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[tokio::test]
    async fn a_tool_is_a_function() {
        assert_eq!(add(2, 40).await.unwrap(), 42);
        assert!(add(i64::MAX, 1).await.is_err());
    }

    #[test]
    fn the_registry_is_sound() {
        genkit::testing::check().unwrap();
    }
}
