use genkit::tool;

/// Says hello.
#[tool(read_only = "yes")]
async fn hello() -> String {
    "hello".to_owned()
}

fn main() {}
