use genkit::tool;

#[tool("Adds two numbers.")]
async fn add(a: i64) -> i64 {
    a
}

fn main() {}
