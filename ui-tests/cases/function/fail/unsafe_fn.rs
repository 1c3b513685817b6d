use genkit::tool;

/// Says hello.
#[tool]
async unsafe fn hello() -> String {
    "hello".to_owned()
}

fn main() {}
