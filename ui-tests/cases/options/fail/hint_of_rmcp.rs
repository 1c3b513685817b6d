use genkit::tool;

/// Adds two numbers.
#[tool(read_only_hint = true)]
async fn add(a: i64) -> i64 {
    a
}

fn main() {}
