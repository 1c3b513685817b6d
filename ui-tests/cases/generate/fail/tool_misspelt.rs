use genkit::{tool, tools};

/// Says hello.
#[tool]
async fn hello() -> String {
    "hello".to_owned()
}

fn main() {
    let _ = genkit::generate("hi").tools(tools![helo]);
}
