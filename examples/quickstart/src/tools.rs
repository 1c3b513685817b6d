//! Tools for a model, and a prompt for MCP clients.

use genkit::schemars::JsonSchema;
use genkit::serde::{Deserialize, Serialize};
use genkit::{Error, Result, prompt, tool};

/// Adds two whole numbers.
#[tool(read_only)]
pub(crate) async fn add(
    /// The first number.
    a: i64,
    /// The second number.
    b: i64,
) -> Result<i64> {
    a.checked_add(b).ok_or_else(|| Error::invalid_argument("the sum does not fit in 64 bits"))
}

/// A unit of temperature.
#[derive(Clone, Copy, Debug, Default, PartialEq, Serialize, Deserialize, JsonSchema)]
#[serde(crate = "genkit::serde", rename_all = "lowercase")]
#[schemars(crate = "genkit::schemars")]
pub(crate) enum Unit {
    /// Degrees Celsius.
    #[default]
    Celsius,
    /// Degrees Fahrenheit.
    Fahrenheit,
}

/// A temperature in another unit.
#[derive(Debug, PartialEq, Serialize, JsonSchema)]
#[serde(crate = "genkit::serde")]
#[schemars(crate = "genkit::schemars")]
pub(crate) struct Temperature {
    /// The temperature in degrees.
    degrees: f64,
    /// The unit of the temperature.
    unit: Unit,
}

/// Converts a temperature between Celsius and Fahrenheit.
#[tool(title = "Convert a temperature", read_only, idempotent)]
pub(crate) async fn convert_temperature(
    /// The temperature in degrees.
    degrees: f64,
    /// The unit to convert to; the input is in the other unit.
    #[arg(default)]
    to: Unit,
) -> Temperature {
    let degrees = match to {
        Unit::Celsius => (degrees - 32.0) * 5.0 / 9.0,
        Unit::Fahrenheit => degrees * 9.0 / 5.0 + 32.0,
    };
    Temperature { degrees: (degrees * 10.0).round() / 10.0, unit: to }
}

/// Counts the words in the given text.
#[tool(read_only)]
pub(crate) async fn count_words(
    /// The text.
    text: String,
) -> usize {
    text.split_whitespace().count()
}

/// Asks for an explanation that a child would understand.
#[prompt]
pub(crate) async fn explain(
    /// The topic to explain.
    topic: String,
    /// The age of the child.
    #[arg(default = 8)]
    age: u8,
) -> String {
    format!("Explain {topic} to a child of {age} years, in five sentences.")
}

#[cfg(test)]
mod tests {
    use super::*;

    #[tokio::test]
    async fn tool_is_a_function() {
        assert_eq!(add(2, 40).await.unwrap(), 42);
        assert!(add(i64::MAX, 1).await.is_err());
        let cold = Temperature { degrees: 20.0, unit: Unit::Celsius };
        assert_eq!(convert_temperature(68.0, Unit::Celsius).await, cold);
    }

    #[test]
    fn registry_is_sound() {
        genkit::testing::check().unwrap();
    }
}
