use genkit::{Tool, tool, tools};

/// Adds.
#[tool]
async fn add(a: i64, b: i64) -> i64 {
    a + b
}

async fn all() -> Vec<Tool> {
    tools![add].await
}

fn main() {
    let _ = all;
}
