use genkit::resource;

/// A note.
#[resource(title = "Note", "note://all")]
async fn note() -> String {
    String::new()
}

fn main() {}
