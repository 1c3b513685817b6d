use genkit::tool;

/// Says hello.
#[tool(metadata = "ops")]
async fn hello() -> String {
    "hello".to_owned()
}

fn main() {}
