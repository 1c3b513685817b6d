use genkit::tool;

/// Removes an item.
#[tool(visibility("app"))]
async fn remove(item: u32) -> u32 {
    item
}

fn main() {}
