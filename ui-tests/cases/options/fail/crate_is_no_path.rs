use genkit::tool;

/// Says hello.
#[tool(crate = "not a path")]
async fn hello() -> String {
    "hello".to_owned()
}

fn main() {}
