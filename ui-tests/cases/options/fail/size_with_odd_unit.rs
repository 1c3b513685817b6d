use genkit::tool;

/// Says hello.
#[tool(max_output = "64KB")]
async fn hello() -> String {
    "hello".to_owned()
}

fn main() {}
