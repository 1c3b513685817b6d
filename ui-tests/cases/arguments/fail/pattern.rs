use genkit::tool;

/// Does something.
#[tool]
async fn act((a, b): (u8, u8)) -> u8 {
    a + b
}

fn main() {}
