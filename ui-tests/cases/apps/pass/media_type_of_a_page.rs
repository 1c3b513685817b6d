use genkit::resource;

/// The cart.
#[resource("ui://shop/cart", app)]
async fn cart() -> &'static str {
    "<!doctype html>"
}

fn main() {}
