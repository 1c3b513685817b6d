use genkit::tool;

/// Says hello.
#[tool]
async fn hello() -> String {
    "hello".to_owned()
}

/// Says hi.
#[tool]
async fn hello() -> String {
    "hi".to_owned()
}

fn main() {}
