use genkit::tool;

/// Adds two numbers.
#[tool]
async fn add(#[default = 5] a: i64) -> i64 {
    a
}

fn main() {}
