use genkit::{resource, tool};

/// The cart.
#[resource("ui://shop/cart", app)]
async fn cart() -> &'static str {
    "<!doctype html>"
}

/// Counts.
#[tool]
async fn count() -> u32 {
    1
}

/// Shows the cart.
#[tool(ui = cart)]
async fn show_cart() -> String {
    String::new()
}

fn main() {}
