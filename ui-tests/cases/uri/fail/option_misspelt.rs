use genkit::resource;

/// A note.
#[resource("note://all", mime_typ = "text/plain")]
async fn note() -> String {
    String::new()
}

fn main() {}
