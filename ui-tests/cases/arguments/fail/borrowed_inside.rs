use genkit::tool;

/// Does something.
#[tool]
async fn act(text: Option<&str>) -> String {
    text.unwrap_or_default().to_owned()
}

fn main() {}
