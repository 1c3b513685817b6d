use genkit::tool;

/// Says hello.
#[tool(permit = "notes:café")]
async fn hello() -> String {
    "hello".to_owned()
}

fn main() {}
