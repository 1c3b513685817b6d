use genkit::tool;

/// Says hello.
#[tool(name = "")]
async fn hello() -> String {
    "hello".to_owned()
}

fn main() {}
