use genkit::resource;

/// The log.
#[resource("file:///log", "text/plain")]
async fn log() -> String {
    String::new()
}

fn main() {}
