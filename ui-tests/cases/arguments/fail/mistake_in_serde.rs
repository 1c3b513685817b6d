use genkit::tool;

/// Does something.
#[tool]
async fn act(#[serde(renam = "days")] d: u8) -> u8 {
    d
}

fn main() {}
