use genkit::{Chunks, tool};

/// Counts.
#[tool]
async fn count(chunks: Chunks<String>) -> u8 {
    let _ = chunks;
    3
}

fn main() {}
