use genkit::tool;

/// Says hello.
#[tool(colour = "red")]
async fn hello() -> String {
    "hello".to_owned()
}

fn main() {}
