use genkit::{prompt, tool};

/// Says hello.
#[tool]
#[prompt]
async fn hello() -> String {
    "hello".to_owned()
}

fn main() {}
