use genkit::{Chunks, flow};

struct Step;

/// Does something.
#[flow]
async fn act(chunks: &Chunks<Step>) -> u8 {
    let _ = chunks;
    1
}

fn main() {}
