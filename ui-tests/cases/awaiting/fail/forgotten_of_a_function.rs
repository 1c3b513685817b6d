use genkit::tool;

/// Adds.
#[tool]
async fn add(a: i64, b: i64) -> i64 {
    a + b
}

async fn sum() -> i64 {
    add(1, 2)
}

fn main() {
    let _ = sum;
}
