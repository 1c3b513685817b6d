// mistakes: 2
use genkit::flow;

/// Says hello.
#[flow(read_only, icons("https://example.com/a.png"))]
async fn hello() -> String {
    "hello".to_owned()
}

fn main() {}
