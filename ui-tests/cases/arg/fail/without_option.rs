use genkit::tool;

/// Does something.
#[tool]
async fn act(#[arg] days: u8) -> u8 {
    days
}

fn main() {}
