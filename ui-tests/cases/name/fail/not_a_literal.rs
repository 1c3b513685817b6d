const NAME: &str = "hello";
use genkit::tool;

/// Says hello.
#[tool(name = NAME)]
async fn hello() -> String {
    "hello".to_owned()
}

fn main() {}
