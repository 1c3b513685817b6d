use genkit::resource;

/// A note.
#[resource("notes/all")]
async fn note() -> String {
    String::new()
}

fn main() {}
