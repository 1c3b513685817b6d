use genkit::{resource, tool};

/// The cart.
#[resource("ui://shop/cart", app)]
async fn cart() -> &'static str {
    "<!doctype html>"
}

/// Shows the cart.
#[tool(ui = cart)]
async fn show_cart() -> String {
    String::new()
}

fn main() {}
