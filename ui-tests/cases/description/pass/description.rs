//! Corrected versions of the cases of `description`, each in a module with the name of the case.

#![deny(warnings)]

mod missing_on_tool {
    use genkit::tool;

    /// Says hello.
    #[tool]
    async fn act() -> String {
        "hello".to_owned()
    }
}

mod missing_on_prompt {
    use genkit::prompt;

    /// Says hello.
    #[prompt]
    async fn act() -> String {
        "hello".to_owned()
    }
}

mod missing_on_resource {
    use genkit::resource;

    /// Says hello.
    #[resource("hello://all")]
    async fn act() -> String {
        "hello".to_owned()
    }
}

mod missing_on_flow {
    use genkit::flow;

    /// Says hello.
    #[flow]
    async fn act() -> String {
        "hello".to_owned()
    }
}

mod empty_comment {
    use genkit::{Tool, tool};

    /** Says hello.
     *
     * In two paragraphs.
     */
    #[tool]
    async fn hello() -> String {
        "hello".to_owned()
    }

    pub fn check() {
        let tool = Tool::of::<hello>();
        assert_eq!(tool.description(), "Says hello.\n\nIn two paragraphs.");
    }
}

mod empty_option {
    use genkit::{Tool, tool};

    /// For people who read the source.
    #[tool(description = "Says hello.")]
    async fn hello() -> String {
        "hello".to_owned()
    }

    pub fn check() {
        assert_eq!(Tool::of::<hello>().description(), "Says hello.");
    }
}

mod without_key {
    use genkit::tool;

    #[tool(description = "Adds two numbers.")]
    async fn add(a: i64) -> i64 {
        a
    }
}

mod from_a_file {
    use genkit::tool;

    #[doc = concat!("Adds", " two numbers.")]
    #[tool]
    async fn add(a: i64) -> i64 {
        a
    }
}

fn main() {
    empty_comment::check();
    empty_option::check();
}
