use genkit::tool;

/// Says hello.
#[tool(title = "Hello", title = "Hi")]
async fn hello() -> String {
    "hello".to_owned()
}

fn main() {}
