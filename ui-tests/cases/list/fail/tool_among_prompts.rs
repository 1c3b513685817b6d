use genkit::{prompt, prompts, tool};

/// Adds.
#[tool]
async fn add(a: i64, b: i64) -> i64 {
    a + b
}

/// Asks for a poem.
#[prompt]
async fn poem() -> &'static str {
    "A poem, please."
}

fn main() {
    let _ = prompts![poem, add];
}
