use genkit::resource;

/// A note.
#[resource(uri = "note://all")]
async fn note() -> String {
    String::new()
}

fn main() {}
