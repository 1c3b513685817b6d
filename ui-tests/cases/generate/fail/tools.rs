use genkit::tool;

/// Says hello.
#[tool]
async fn hello() -> String {
    "hello".to_owned()
}

fn main() {
    let _ = genkit::generate("hi").tools(hello);
}
