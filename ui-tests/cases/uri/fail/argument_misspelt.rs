use genkit::resource;

/// A note.
#[resource("note://{number}")]
async fn note(numbr: u64) -> String {
    numbr.to_string()
}

fn main() {}
