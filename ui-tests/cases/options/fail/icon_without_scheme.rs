use genkit::tool;

/// Says hello.
#[tool(icons("sun.png"))]
async fn hello() -> String {
    "hello".to_owned()
}

fn main() {}
