use genkit::tool;

/// Says hello.
#[tool(tags())]
async fn hello() -> String {
    "hello".to_owned()
}

fn main() {}
