use genkit::resource;

/// A greeting.
#[resource("hello://all", mime_type = "markdown")]
async fn hello() -> String {
    "hello".to_owned()
}

fn main() {}
