use genkit::tool;

/// Says hello.
#[tool(max_output)]
async fn hello() -> String {
    "hello".to_owned()
}

fn main() {}
