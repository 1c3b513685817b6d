use genkit::resource;

/// The cart.
#[resource("https://shop.example.com/cart", app)]
async fn cart() -> &'static str {
    "<!doctype html>"
}

fn main() {}
