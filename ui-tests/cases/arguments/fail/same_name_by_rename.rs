use genkit::tool;

/// Does something.
#[tool]
async fn act(#[serde(rename = "days")] d: u8, days: u8) -> u8 {
    d + days
}

fn main() {}
