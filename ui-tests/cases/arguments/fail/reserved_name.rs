use genkit::tool;

/// Does something.
#[tool]
async fn act(_days: u8) -> u8 {
    1
}

fn main() {}
