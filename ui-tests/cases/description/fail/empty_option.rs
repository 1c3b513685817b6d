use genkit::tool;

/// Says hello.
#[tool(description = " ")]
async fn hello() -> String {
    "hello".to_owned()
}

fn main() {}
