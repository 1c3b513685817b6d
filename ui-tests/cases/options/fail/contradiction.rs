use genkit::tool;

/// Says hello.
#[tool(read_only, destructive)]
async fn hello() -> String {
    "hello".to_owned()
}

fn main() {}
