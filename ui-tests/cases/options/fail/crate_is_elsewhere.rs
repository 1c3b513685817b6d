use genkit::tool;

/// Says hello.
#[tool(crate = "::no_such_crate")]
async fn hello() -> String {
    "hello".to_owned()
}

fn main() {}
