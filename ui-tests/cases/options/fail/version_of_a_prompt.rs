use genkit::tool;

/// Says hello.
#[tool(version = "2")]
async fn hello() -> String {
    "hello".to_owned()
}

fn main() {}
