use genkit::{actions, tool};

/// Adds.
#[tool]
async fn add(a: i64, b: i64) -> i64 {
    a + b
}

struct Subtract;

fn main() {
    let _ = actions![add, Subtract];
}
