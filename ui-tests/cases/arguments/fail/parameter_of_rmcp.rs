use genkit::tool;

/// Adds two numbers.
#[tool]
async fn add(#[tool(param)] a: i64) -> i64 {
    a
}

fn main() {}
