//! An MCP server with two tools: the guide page `quickstart`.

use genkit::{Error, Result, tool};

/// Gets the current weather in a city.
#[tool(read_only)]
async fn get_weather(
    /// The city, for example `Baltimore`.
    city: String,
) -> String {
    format!("63°F and sunny in {city}")
}

/// Converts degrees Fahrenheit to degrees Celsius.
#[tool(read_only)]
async fn to_celsius(
    /// Degrees Fahrenheit.
    fahrenheit: f64,
) -> Result<f64> {
    if fahrenheit < -459.67 {
        return Err(Error::invalid_argument("nothing is colder than -459.67 °F"));
    }
    Ok(((fahrenheit - 32.0) * 50.0 / 9.0).round() / 10.0)
}

#[tokio::main]
async fn main() -> Result<()> {
    genkit::log_to_stderr();
    genkit::serve_mcp().name("weather").version(env!("CARGO_PKG_VERSION")).cli().await
}
