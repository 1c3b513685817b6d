use genkit::tool;

/// Does something.
#[tool]
async fn act(#[arg(description = "How many.")] days: u8) -> u8 {
    days
}

fn main() {}
