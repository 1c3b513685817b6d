use genkit::tool;

/// Says hello.
#[tool(mime_type = "text/plain")]
async fn hello() -> String {
    "hello".to_owned()
}

fn main() {}
