use genkit::prompt;

/// Does something.
#[prompt]
async fn act() -> u8 {
    1
}

fn main() {}
