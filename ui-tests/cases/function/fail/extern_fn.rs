use genkit::tool;

/// Says hello.
#[tool]
async extern "C" fn hello() -> String {
    "hello".to_owned()
}

fn main() {}
