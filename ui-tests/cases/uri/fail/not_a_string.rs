use genkit::resource;

/// A note.
#[resource(42)]
async fn note() -> String {
    String::new()
}

fn main() {}
