use genkit::tool;

/// Does something.
#[tool]
async fn act(_: u8) -> u8 {
    1
}

fn main() {}
