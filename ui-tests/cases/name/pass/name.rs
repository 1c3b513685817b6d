//! Corrected versions of the cases of `name`, each in a module with the name of the case.

#![deny(warnings)]

mod bad_character {
    use genkit::{Tool, tool};

    /// Says hello.
    #[tool(name = "say-hello")]
    async fn hello() -> String {
        "hello".to_owned()
    }

    pub fn check() {
        assert_eq!(Tool::of::<hello>().name(), "say-hello");
    }
}

mod too_long {
    use genkit::{Tool, tool};

    /// Says hello.
    #[tool(name = "a_name_of_exactly_sixty_four_characters_that_is_long_but_allowed")]
    async fn hello() -> String {
        "hello".to_owned()
    }

    pub fn check() {
        assert_eq!(
            Tool::of::<hello>().name(),
            "a_name_of_exactly_sixty_four_characters_that_is_long_but_allowed"
        );
    }
}

mod empty {
    use genkit::{Tool, tool};

    /// Says hello.
    #[tool(name = "h")]
    async fn hello() -> String {
        "hello".to_owned()
    }

    pub fn check() {
        assert_eq!(Tool::of::<hello>().name(), "h");
    }
}

mod not_a_literal {
    use genkit::{Tool, tool};

    /// Says hello.
    #[tool(name = "NAME_1")]
    async fn hello() -> String {
        "hello".to_owned()
    }

    pub fn check() {
        assert_eq!(Tool::of::<hello>().name(), "NAME_1");
    }
}

mod of_the_function {
    use genkit::{Tool, tool};

    /// Grüßt.
    #[tool(name = "gruesse")]
    async fn grüße() -> String {
        "hallo".to_owned()
    }

    /// Moves something: callers see a raw name without its `r#`.
    #[tool]
    async fn r#move(r#type: String) -> String {
        r#type
    }

    pub fn check() {
        assert_eq!(Tool::of::<grüße>().name(), "gruesse");
        assert_eq!(Tool::of::<r#move>().name(), "move");
        assert!(Tool::of::<r#move>().input_schema()["properties"]["type"].is_object());
    }
}

mod of_a_resource {
    use genkit::{Resource, resource};

    /// The project's report, which is not called by its name.
    #[resource("doc://report", name = "Bericht für das 3. Quartal (PDF)")]
    async fn report() -> String {
        "report".to_owned()
    }

    /// Grüßt.
    #[resource("doc://gruss")]
    async fn grüße() -> String {
        "hallo".to_owned()
    }

    pub fn check() {
        assert_eq!(Resource::of::<report>().name(), "Bericht für das 3. Quartal (PDF)");
        assert_eq!(Resource::of::<grüße>().name(), "grüße");
    }
}

fn main() {
    of_a_resource::check();
    bad_character::check();
    too_long::check();
    empty::check();
    not_a_literal::check();
    of_the_function::check();
}
