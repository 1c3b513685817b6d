use genkit::tool;

/// Does something.
#[tool]
async fn act(n: &u32) -> u32 {
    *n
}

fn main() {}
