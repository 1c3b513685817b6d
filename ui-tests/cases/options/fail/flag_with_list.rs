use genkit::tool;

/// Says hello.
#[tool(destructive(true))]
async fn hello() -> String {
    "hello".to_owned()
}

fn main() {}
