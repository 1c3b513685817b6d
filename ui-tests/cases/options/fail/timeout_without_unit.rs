use genkit::tool;

/// Says hello.
#[tool(timeout = 30)]
async fn hello() -> String {
    "hello".to_owned()
}

fn main() {}
