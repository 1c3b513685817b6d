use genkit::{Prompt, Registry, Tool, prompt, tool};

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
    let (tool, prompt) = (Tool::of::<add>(), Prompt::of::<poem>());
    let _ = Registry::new().add(vec![tool, prompt]);
}
