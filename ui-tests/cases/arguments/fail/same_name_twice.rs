use genkit::tool;

/// Does something.
#[tool]
async fn act(days: u8, days: u8) -> u8 {
    days
}

fn main() {}
