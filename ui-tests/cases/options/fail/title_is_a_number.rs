use genkit::tool;

/// Says hello.
#[tool(title = 3)]
async fn hello() -> String {
    "hello".to_owned()
}

fn main() {}
