use genkit::tool;

/// Says hello.
#[tool]
#[tool(title = "Hello")]
async fn hello() -> String {
    "hello".to_owned()
}

fn main() {}
