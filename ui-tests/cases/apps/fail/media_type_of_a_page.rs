use genkit::resource;

/// The cart.
#[resource("ui://shop/cart", app, mime_type = "text/html")]
async fn cart() -> &'static str {
    "<!doctype html>"
}

fn main() {}
