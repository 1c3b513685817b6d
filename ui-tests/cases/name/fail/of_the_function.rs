use genkit::tool;

/// Grüßt.
#[tool]
async fn grüße() -> String {
    "hallo".to_owned()
}

fn main() {}
