use genkit::tool;

/// Adds two numbers.
#[tool]
async fn add(#[description = "The number."] a: i64) -> i64 {
    a
}

fn main() {}
