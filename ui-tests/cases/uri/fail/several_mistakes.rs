// mistakes: 2
use genkit::resource;

/// A note.
#[resource("note//{}")]
async fn note() -> String {
    String::new()
}

fn main() {}
