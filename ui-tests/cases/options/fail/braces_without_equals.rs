use genkit::tool;

/// Says hello.
#[tool(metadata { "a": 1 })]
async fn hello() -> String {
    "hello".to_owned()
}

fn main() {}
