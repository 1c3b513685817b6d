//! Corrected versions of the cases of `apps`, each in a module with the name of the case.

#![deny(warnings)]

mod media_type_of_a_page {
    use genkit::resource;

    /// The cart.
    #[resource("ui://shop/cart", app)]
    async fn cart() -> &'static str {
        "<!doctype html>"
    }
}

mod origin_with_directive {
    use genkit::resource;

    /// The cart.
    #[resource("ui://shop/cart", app(connect("https://a.example")))]
    async fn cart() -> &'static str {
        "<!doctype html>"
    }
}

mod page_is_a_tool {
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
}

mod page_misspelt {
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
}

mod page_without_app {
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
}

mod permission_unknown {
    use genkit::resource;

    /// The cart.
    #[resource("ui://shop/cart", app(permissions("camera")))]
    async fn cart() -> &'static str {
        "<!doctype html>"
    }
}

mod right_misspelt {
    use genkit::resource;

    /// The cart.
    #[resource("ui://shop/cart", app(connect("https://a.example")))]
    async fn cart() -> &'static str {
        "<!doctype html>"
    }
}

mod uri_of_another_scheme {
    use genkit::resource;

    /// The cart.
    #[resource("ui://shop/cart", app)]
    async fn cart() -> &'static str {
        "<!doctype html>"
    }
}

mod visibility_unknown {
    use genkit::tool;

    /// Removes an item.
    #[tool(visibility("app"))]
    async fn remove(item: u32) -> u32 {
        item
    }
}

fn main() {}
