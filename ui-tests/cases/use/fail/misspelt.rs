use genkit::{tool, tools};

/// Says hello.
#[tool]
async fn hello() -> String {
    "hello".to_owned()
}

fn main() {
    let _ = tools![helo];
}
