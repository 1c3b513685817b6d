use genkit::resource;

/// A note.
#[resource("note://id}")]
async fn note() -> String {
    String::new()
}

fn main() {}
