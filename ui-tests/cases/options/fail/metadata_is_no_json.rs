use genkit::tool;

/// Says hello.
#[tool(metadata = { "owner" = "ops" })]
async fn hello() -> String {
    "hello".to_owned()
}

fn main() {}
