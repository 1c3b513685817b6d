use genkit::{prompt, prompts};

/// Asks for a poem.
#[prompt]
async fn poem() -> &'static str {
    "A poem, please."
}

fn main() {
    let _ = prompts![poem poem];
}
