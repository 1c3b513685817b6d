use genkit::{Registry, tool};

/// Adds.
#[tool]
async fn add(a: i64, b: i64) -> i64 {
    a + b
}

fn main() {
    let _ = Registry::new().add(add);
}
