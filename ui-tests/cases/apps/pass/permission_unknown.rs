use genkit::resource;

/// The cart.
#[resource("ui://shop/cart", app(permissions("camera")))]
async fn cart() -> &'static str {
    "<!doctype html>"
}

fn main() {}
