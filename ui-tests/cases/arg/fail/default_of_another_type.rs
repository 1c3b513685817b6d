use genkit::tool;

/// Does something.
#[tool]
async fn act(#[arg(default = -1.5)] days: u8) -> u8 {
    days
}

fn main() {}
