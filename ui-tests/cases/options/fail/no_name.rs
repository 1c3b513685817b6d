use genkit::tool;

/// Says hello.
#[tool("Hello")]
async fn hello() -> String {
    "hello".to_owned()
}

fn main() {}
