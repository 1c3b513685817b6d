use genkit::tool;

/// Says hello.
#[tool(title)]
async fn hello() -> String {
    "hello".to_owned()
}

fn main() {}
