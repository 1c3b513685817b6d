use genkit::tool;

/// Does something.
#[tool]
async fn act(#[input] text: String) -> String {
    text
}

fn main() {}
