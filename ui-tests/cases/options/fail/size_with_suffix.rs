use genkit::tool;

/// Adds two numbers.
#[tool(max_output = 64k)]
async fn add(a: i64) -> i64 {
    a
}

fn main() {}
