use genkit::resource;

/// A note.
#[resource("note://{id}")]
async fn note(id: u64, folder: String) -> String {
    format!("{folder}{id}")
}

fn main() {}
