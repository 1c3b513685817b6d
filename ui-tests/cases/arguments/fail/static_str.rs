use genkit::tool;

/// Does something.
#[tool]
async fn act(text: &'static str) -> String {
    text.to_owned()
}

fn main() {}
