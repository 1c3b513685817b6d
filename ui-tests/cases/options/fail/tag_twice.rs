use genkit::tool;

/// Says hello.
#[tool(tags("greeting", "greeting"))]
async fn hello() -> String {
    "hello".to_owned()
}

fn main() {}
