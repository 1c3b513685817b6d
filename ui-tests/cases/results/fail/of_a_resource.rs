use genkit::resource;

/// Does something.
#[resource("a://b")]
async fn act() -> Option<String> {
    None
}

fn main() {}
