use genkit::tool;

/// Adds two numbers.
#[tool(about = "Adds.")]
async fn add(a: i64) -> i64 {
    a
}

fn main() {}
