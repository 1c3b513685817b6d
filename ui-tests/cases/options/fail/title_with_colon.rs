use genkit::tool;

/// Adds two numbers.
#[tool(title: "Add")]
async fn add(a: i64) -> i64 {
    a
}

fn main() {}
