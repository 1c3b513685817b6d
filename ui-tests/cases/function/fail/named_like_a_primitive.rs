use genkit::tool;

/// Chooses a letter.
#[tool]
async fn char() -> String {
    "a".to_owned()
}

fn main() {}
