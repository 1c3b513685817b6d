use genkit::tool;

/// Does something.
#[tool]
async fn act(#[cfg(unix)] days: u8) -> u8 {
    days
}

fn main() {}
