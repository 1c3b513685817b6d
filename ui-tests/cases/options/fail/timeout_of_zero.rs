use genkit::tool;

/// Says hello.
#[tool(timeout = "0s")]
async fn hello() -> String {
    "hello".to_owned()
}

fn main() {}
