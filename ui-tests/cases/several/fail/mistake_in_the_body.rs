use genkit::tool;

/// Says hello.
#[tool]
async fn hello() -> String {
    greeting
}

fn main() {}
