use genkit::resource;

/// A note.
#[resource(title = "Note")]
async fn note() -> String {
    String::new()
}

fn main() {}
