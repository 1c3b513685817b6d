use genkit::{prompt, tools};

/// Says hello.
#[prompt]
async fn hello() -> String {
    "hello".to_owned()
}

fn main() {
    let _ = tools![hello];
}
