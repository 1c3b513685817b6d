use genkit::resource;

/// A note.
#[resource("")]
async fn note() -> String {
    String::new()
}

fn main() {}
