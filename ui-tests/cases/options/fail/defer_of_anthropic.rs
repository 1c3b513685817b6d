use genkit::tool;

/// Adds two numbers.
#[tool(defer_loading = true)]
async fn add(a: i64) -> i64 {
    a
}

fn main() {}
