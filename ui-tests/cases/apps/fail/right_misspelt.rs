use genkit::resource;

/// The cart.
#[resource("ui://shop/cart", app(conect("https://a.example")))]
async fn cart() -> &'static str {
    "<!doctype html>"
}

fn main() {}
