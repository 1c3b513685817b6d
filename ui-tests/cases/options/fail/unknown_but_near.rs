use genkit::tool;

/// Says hello.
#[tool(read_olny)]
async fn hello() -> String {
    "hello".to_owned()
}

fn main() {}
