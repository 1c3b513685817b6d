use genkit::tool;

/// Adds two numbers.
#[tool]
async fn add(#[arg("The number.")] a: i64) -> i64 {
    a
}

fn main() {}
