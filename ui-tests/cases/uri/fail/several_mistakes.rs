// mistakes: 3
use genkit::resource;

/// A note.
#[resource("note//{}/{id:2}")]
async fn note() -> String {
    String::new()
}

fn main() {}
