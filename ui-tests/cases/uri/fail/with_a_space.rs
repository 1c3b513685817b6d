use genkit::resource;

/// A note.
#[resource("note://all notes")]
async fn note() -> String {
    String::new()
}

fn main() {}
