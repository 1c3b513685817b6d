use genkit::resource;

/// A note.
#[resource("note://all{?limit}/more")]
async fn note(limit: u64) -> String {
    limit.to_string()
}

fn main() {}
