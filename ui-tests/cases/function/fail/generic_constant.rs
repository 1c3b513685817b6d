use genkit::tool;

/// Tells how long a list is.
#[tool]
async fn length<const N: usize>(list: [u8; N]) -> usize {
    list.len()
}

fn main() {}
