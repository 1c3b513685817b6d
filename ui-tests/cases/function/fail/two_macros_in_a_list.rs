use genkit::{prompt, prompts, tool};

/// Says hello.
#[tool]
#[prompt]
async fn hello() -> String {
    "hello".to_owned()
}

fn main() {
    let _ = genkit::Registry::new().add(prompts![hello]);
}
