//! Corrected versions of the cases of `use`, each in a module with the name of the case.

#![deny(warnings)]

mod misspelt {
    use genkit::{tool, tools};

    /// Says hello.
    #[tool]
    async fn hello() -> String {
        "hello".to_owned()
    }

    pub fn check() {
        assert_eq!(tools![hello,][0].name(), "hello");
    }
}

mod not_annotated {
    use genkit::{tool, tools};

    /// Says hello.
    #[tool]
    async fn hello() -> String {
        "hello".to_owned()
    }

    pub fn check() {
        assert_eq!(tools![hello][0].name(), "hello");
        drop(hello());
    }
}

mod another_kind {
    use genkit::{prompt, prompts};

    /// Says hello.
    #[prompt]
    async fn hello() -> String {
        "hello".to_owned()
    }

    pub fn check() {
        assert_eq!(prompts![hello][0].name(), "hello");
    }
}

mod no_function_of_ours {
    use genkit::{Context, Tool};

    #[derive(serde::Deserialize, schemars::JsonSchema)]
    struct Hello {}

    pub fn check() {
        let tool = Tool::builder("hello", "Says hello.")
            .handler(|_: Context, _: Hello| async { Ok("hello") });
        assert_eq!(tool.name(), "hello");
    }
}

fn main() {
    misspelt::check();
    not_annotated::check();
    another_kind::check();
    no_function_of_ours::check();
}
