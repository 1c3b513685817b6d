use genkit::tool;

/// Adds two numbers.
#[tool]
async fn add(#[inptu] a: i64) -> i64 {
    a
}

fn main() {}
