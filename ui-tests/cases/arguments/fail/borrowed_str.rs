use genkit::tool;

/// Does something.
#[tool]
async fn act(text: &str) -> String {
    text.to_owned()
}

fn main() {}
