use genkit::{resource, tool, tools};

/// Adds.
#[tool]
async fn add(a: i64, b: i64) -> i64 {
    a + b
}

/// The manual.
#[resource("doc://manual")]
async fn manual() -> &'static str {
    "Read."
}

fn main() {
    let _ = tools![add, manual];
}
