use genkit::tool;

/// Does something.
#[tool]
async fn act(text: &String) -> String {
    text.to_owned()
}

fn main() {}
