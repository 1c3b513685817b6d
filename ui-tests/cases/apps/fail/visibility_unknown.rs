use genkit::tool;

/// Removes an item.
#[tool(visibility("user"))]
async fn remove(item: u32) -> u32 {
    item
}

fn main() {}
