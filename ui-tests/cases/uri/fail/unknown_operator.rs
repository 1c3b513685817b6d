use genkit::resource;

/// A note.
#[resource("note://{!id}")]
async fn note(id: u64) -> String {
    id.to_string()
}

fn main() {}
