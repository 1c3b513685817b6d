use genkit::tool;

/// Says hello.
#[tool(timeout = "30 days")]
async fn hello() -> String {
    "hello".to_owned()
}

fn main() {}
