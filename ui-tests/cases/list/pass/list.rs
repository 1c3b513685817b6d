//! Corrected versions of the cases of `list`, each in a module with the name of the case.

#![deny(warnings)]

mod resource_among_tools {
    use genkit::{Registry, actions, resource, tool};

    /// Adds.
    #[tool]
    async fn add(a: i64, b: i64) -> i64 {
        a + b
    }

    /// The manual.
    #[resource("doc://manual")]
    async fn manual() -> &'static str {
        "Read."
    }

    pub fn check() {
        let registry = Registry::new().add(actions![add, manual]);
        assert_eq!((registry.tools().len(), registry.resources().len()), (1, 1));
    }
}

mod tool_among_prompts {
    use genkit::{Registry, actions, prompt, tool};

    /// Adds.
    #[tool]
    async fn add(a: i64, b: i64) -> i64 {
        a + b
    }

    /// Asks for a poem.
    #[prompt]
    async fn poem() -> &'static str {
        "A poem, please."
    }

    pub fn check() {
        let registry = Registry::new().add(actions![poem, add]);
        assert_eq!((registry.tools().len(), registry.prompts().len()), (1, 1));
    }
}

mod tool_among_resources {
    use genkit::{Registry, actions, resource, tool};

    /// Adds.
    #[tool]
    async fn add(a: i64, b: i64) -> i64 {
        a + b
    }

    /// The manual.
    #[resource("doc://manual")]
    async fn manual() -> &'static str {
        "Read."
    }

    pub fn check() {
        assert_eq!(Registry::new().add(actions![manual, add,]).tools()[0].name(), "add");
    }
}

mod tool_among_flows {
    use genkit::{Registry, actions, flow, tool};

    /// Adds.
    #[tool]
    async fn add(a: i64, b: i64) -> i64 {
        a + b
    }

    /// Greets.
    #[flow]
    async fn greet(name: String) -> String {
        name
    }

    pub fn check() {
        let registry = Registry::new().add(actions![greet, add]);
        assert_eq!((registry.tools().len(), registry.flows().len()), (1, 1));
    }
}

mod not_annotated {
    use genkit::{actions, tool};

    /// Adds.
    #[tool]
    async fn add(a: i64, b: i64) -> i64 {
        a + b
    }

    /// Subtracts.
    #[tool]
    async fn subtract(a: i64, b: i64) -> i64 {
        a - b
    }

    pub fn check() {
        assert_eq!(actions![add, subtract].len(), 2);
    }
}

mod values_of_two_kinds {
    use genkit::{Action, Prompt, Registry, Tool, prompt, tool};

    /// Adds.
    #[tool]
    async fn add(a: i64, b: i64) -> i64 {
        a + b
    }

    /// Asks for a poem.
    #[prompt]
    async fn poem() -> &'static str {
        "A poem, please."
    }

    pub fn check() {
        let (tool, prompt) = (Tool::of::<add>(), Prompt::of::<poem>());
        let registry = Registry::new().add([Action::from(tool), Action::from(prompt)]);
        assert!(registry.prompt("poem").is_some());
    }
}

mod function_itself {
    use genkit::{Registry, Tool, tool, tools};

    /// Adds.
    #[tool]
    async fn add(a: i64, b: i64) -> i64 {
        a + b
    }

    pub fn check() {
        assert_eq!(Registry::new().add(tools![add]).tools().len(), 1);
        assert_eq!(Registry::new().add(Tool::of::<add>()).tools().len(), 1);
    }
}

mod no_actions {
    use genkit::{Registry, actions, tool};

    /// Adds.
    #[tool]
    async fn add(a: i64, b: i64) -> i64 {
        a + b
    }

    pub fn check() {
        assert_eq!(Registry::new().add(actions![add]).tools().len(), 1);
    }
}

mod folder_without_feature {
    use genkit::prompts;

    pub fn check() {
        let none: Vec<genkit::Prompt> = prompts![];
        assert!(none.is_empty());
    }
}

mod skills_without_feature {
    pub fn check() {
        let none: Vec<genkit::Skill> = genkit::Registry::new().skills();
        assert!(none.is_empty());
    }
}

mod prompts_without_commas {
    use genkit::{prompt, prompts};

    /// Asks for a poem.
    #[prompt]
    async fn poem() -> &'static str {
        "A poem, please."
    }

    pub fn check() {
        assert_eq!(prompts![poem, poem].len(), 2);
    }
}

fn main() {
    folder_without_feature::check();
    prompts_without_commas::check();
    resource_among_tools::check();
    tool_among_prompts::check();
    tool_among_resources::check();
    tool_among_flows::check();
    not_annotated::check();
    values_of_two_kinds::check();
    function_itself::check();
    no_actions::check();
    skills_without_feature::check();
}
