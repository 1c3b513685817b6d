// mistakes: 8
use genkit::tool;

/// Counts attempts, although the option counts retries.
#[tool(retry(max_attempts = 5))]
async fn attempts() {}

/// Has a unit without quotes.
#[tool(retry(initial_delay = 1s))]
async fn unquoted() {}

/// Is repeated zero times.
#[tool(retry(max_retries = 0))]
async fn never() {}

/// Has two delays.
#[tool(retry(max_delay = "1s", max_delay = "2s"))]
async fn twice() {}

/// Has no name for its number.
#[tool(retry = 5)]
async fn number() {}

/// Has nothing in its parentheses.
#[tool(retry())]
async fn empty() {}

/// Is never repeated.
#[tool(retry, at_most_once)]
async fn contradiction() {}

/// Has no code.
#[tool(retry)]
async fn declared() -> String;

fn main() {}
