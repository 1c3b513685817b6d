use genkit::tool;

/// Says hello.
#[tool(max_output = 0)]
async fn hello() -> String {
    "hello".to_owned()
}

fn main() {}
