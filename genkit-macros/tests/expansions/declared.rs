/// Shows the cart in the browser.
#[tool(needs_approval)]
pub async fn update_cart(items: u32) -> Cart;
