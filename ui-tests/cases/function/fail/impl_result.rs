use genkit::tool;

/// Says hello.
#[tool]
async fn hello() -> impl ToString {
    "hello"
}

fn main() {}
