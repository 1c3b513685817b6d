use genkit::tool;

/// Says hello.
#[tool(read_only idempotent)]
async fn hello() -> String {
    "hello".to_owned()
}

fn main() {}
