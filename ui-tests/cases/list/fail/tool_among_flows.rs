use genkit::{flow, flows, tool};

/// Adds.
#[tool]
async fn add(a: i64, b: i64) -> i64 {
    a + b
}

/// Greets.
#[flow]
async fn greet(name: String) -> String {
    name
}

fn main() {
    let _ = flows![greet, add];
}
