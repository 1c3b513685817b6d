use genkit::tool;

/// Does something.
#[tool]
async fn act(list: &[u8]) -> usize {
    list.len()
}

fn main() {}
