use genkit::resource;

/// A note.
#[resource("note://{id:3}")]
async fn note(id: u64) -> String {
    id.to_string()
}

fn main() {}
