//! Corrected versions of the cases of `prompt_options`, each in a module with the name of the case.

#![deny(warnings)]

mod tool_misspelt {
    use genkit::{Prompt, prompt, tool};

    /// Gets the weather.
    #[tool]
    async fn get_weather(city: String) -> String {
        city
    }

    /// Asks for the weather.
    #[prompt(tools = [get_weather])]
    async fn ask() -> String {
        "Rome".to_owned()
    }

    pub fn check() {
        let it = Prompt::of::<ask>();
        assert_eq!(it.options().tools()[0].name(), "get_weather");
    }
}

mod tool_without_macro {
    use genkit::{Prompt, prompt, tool};

    /// Gets the weather.
    #[tool]
    async fn get_weather(city: String) -> String {
        city
    }

    /// Asks for the weather.
    #[prompt(tools = [get_weather])]
    async fn ask() -> String {
        "Rome".to_owned()
    }

    pub fn check() {
        let it = Prompt::of::<ask>();
        assert_eq!(it.options().tools().len(), 1);
    }
}

mod tool_is_a_prompt {
    use genkit::{Prompt, prompt, tool};

    /// Gets the weather.
    #[tool]
    async fn get_weather(city: String) -> String {
        city
    }

    /// Asks for the weather.
    #[prompt(tools = [self::get_weather])]
    async fn ask() -> String {
        "Rome".to_owned()
    }

    pub fn check() {
        let it = Prompt::of::<ask>();
        assert_eq!(it.options().tools().len(), 1);
    }
}

mod tools_without_brackets {
    use genkit::{Prompt, prompt, tool};

    /// Gets the weather.
    #[tool]
    async fn get_weather(city: String) -> String {
        city
    }

    /// Asks for the weather.
    #[prompt(tools = [get_weather,])]
    async fn ask() -> String {
        "Rome".to_owned()
    }

    pub fn check() {
        let it = Prompt::of::<ask>();
        assert_eq!(it.options().tools().len(), 1);
    }
}

mod tool_is_a_number {
    use genkit::{Prompt, prompt};

    /// Asks for the weather.
    #[prompt(tools = ["5"])]
    async fn ask() -> String {
        "Rome".to_owned()
    }

    pub fn check() {
        let it = Prompt::of::<ask>();
        assert_eq!(it.options().tools()[0].name(), "5");
    }
}

mod tool_twice {
    use genkit::{Prompt, prompt, tool};

    /// Gets the weather.
    #[tool]
    async fn get_weather(city: String) -> String {
        city
    }

    /// Asks for the weather.
    #[prompt(tools = [get_weather, "remote/search"])]
    async fn ask() -> String {
        "Rome".to_owned()
    }

    pub fn check() {
        let it = Prompt::of::<ask>();
        assert_eq!(it.options().tools()[1].name(), "remote/search");
    }
}

mod tools_without_tools {
    use genkit::{Prompt, prompt};

    /// Asks for the weather.
    #[prompt]
    async fn ask() -> String {
        "Rome".to_owned()
    }

    pub fn check() {
        let it = Prompt::of::<ask>();
        assert!(it.options().tools().is_empty());
    }
}

mod choice_misspelt {
    use genkit::model::ToolChoice;
    use genkit::{Prompt, prompt};

    /// Asks for the weather.
    #[prompt(tool_choice = "required")]
    async fn ask() -> String {
        "Rome".to_owned()
    }

    pub fn check() {
        let it = Prompt::of::<ask>();
        assert_eq!(it.options().tool_choice(), Some(&ToolChoice::Required));
    }
}

mod choice_is_a_name {
    use genkit::model::ToolChoice;
    use genkit::{Prompt, prompt, tool};

    /// Gets the weather.
    #[tool]
    async fn get_weather(city: String) -> String {
        city
    }

    /// Asks for the weather.
    #[prompt(tools = [get_weather], tool_choice = get_weather)]
    async fn ask() -> String {
        "Rome".to_owned()
    }

    pub fn check() {
        let it = Prompt::of::<ask>();
        assert_eq!(it.options().tool_choice(), Some(&ToolChoice::tool("get_weather")));
    }
}

mod choice_not_offered {
    use genkit::model::ToolChoice;
    use genkit::{Prompt, prompt, tool};

    /// Gets the weather.
    #[tool]
    async fn get_weather(city: String) -> String {
        city
    }

    /// Asks for the weather.
    #[prompt(tools = ["remote/search", get_weather], tool_choice = get_weather)]
    async fn ask() -> String {
        "Rome".to_owned()
    }

    pub fn check() {
        let it = Prompt::of::<ask>();
        assert_eq!(it.options().tool_choice(), Some(&ToolChoice::tool("get_weather")));
    }
}

mod turns_in_quotes {
    use genkit::{Prompt, prompt};

    /// Asks for the weather.
    #[prompt(max_turns = 3)]
    async fn ask() -> String {
        "Rome".to_owned()
    }

    pub fn check() {
        let it = Prompt::of::<ask>();
        assert_eq!(it.options().max_turns(), Some(3));
    }
}

mod turns_below_zero {
    use genkit::{Prompt, prompt};

    /// Asks for the weather.
    #[prompt(max_turns = 0)]
    async fn ask() -> String {
        "Rome".to_owned()
    }

    pub fn check() {
        let it = Prompt::of::<ask>();
        assert_eq!(it.options().max_turns(), Some(0));
    }
}

mod config_is_a_number {
    use genkit::{Prompt, prompt};

    /// Asks for the weather.
    #[prompt(config = { "temperature": 0.2 })]
    async fn ask() -> String {
        "Rome".to_owned()
    }

    pub fn check() {
        let it = Prompt::of::<ask>();
        assert_eq!(it.options().config()["temperature"], 0.2);
    }
}

mod config_is_no_json {
    use genkit::{Prompt, prompt};

    const HOT: f64 = 2.0;

    /// Asks for the weather.
    #[prompt(config = { "temperature": HOT, "stopSequences": ["."] })]
    async fn ask() -> String {
        "Rome".to_owned()
    }

    pub fn check() {
        let it = Prompt::of::<ask>();
        assert_eq!(it.options().config()["temperature"], 2.0);
    }
}

mod model_is_empty {
    use genkit::{Prompt, prompt};

    /// Asks for the weather.
    #[prompt(model = "gemini/gemini-2.5-flash")]
    async fn ask() -> String {
        "Rome".to_owned()
    }

    pub fn check() {
        let it = Prompt::of::<ask>();
        assert_eq!(it.options().model(), Some("gemini/gemini-2.5-flash"));
    }
}

mod output_without_schema {
    use genkit::{Prompt, prompt};

    #[derive(schemars::JsonSchema)]
    struct Plain {
        _sky: String,
    }

    /// Asks for the weather.
    #[prompt(output = Plain)]
    async fn ask() -> String {
        "Rome".to_owned()
    }

    pub fn check() {
        let it = Prompt::of::<ask>();
        assert!(it.options().output().is_some_and(|output| output.json_schema.is_some()));
    }
}

mod option_misspelt {
    use genkit::{Prompt, prompt};

    /// Asks for the weather.
    #[prompt(tools = ["*"], return_tool_requests)]
    async fn ask() -> String {
        "Rome".to_owned()
    }

    pub fn check() {
        let it = Prompt::of::<ask>();
        assert_eq!(it.options().return_tool_requests(), Some(true));
    }
}

mod several {
    use genkit::{Prompt, prompt};

    /// Asks for the weather.
    #[prompt(model = "a/b", max_turns = 3, tools = ["poem"])]
    async fn ask() -> String {
        "Rome".to_owned()
    }

    pub fn check() {
        let it = Prompt::of::<ask>();
        assert_eq!(it.options().max_turns(), Some(3));
    }
}

mod on_a_tool {
    use genkit::{Prompt, prompt};

    /// Asks for the weather.
    #[prompt(model = "a/b", return_tool_requests = false, output = { "type": "string" })]
    async fn ask() -> String {
        "Rome".to_owned()
    }

    pub fn check() {
        let it = Prompt::of::<ask>();
        assert_eq!(it.options().return_tool_requests(), Some(false));
    }
}

mod turns_with_suffix {
    use genkit::prompt;

    /// Plans.
    #[prompt(max_turns = 3)]
    async fn plan() -> String {
        "Plan.".to_owned()
    }
}

fn main() {
    tool_misspelt::check();
    tool_without_macro::check();
    tool_is_a_prompt::check();
    tools_without_brackets::check();
    tool_is_a_number::check();
    tool_twice::check();
    tools_without_tools::check();
    choice_misspelt::check();
    choice_is_a_name::check();
    choice_not_offered::check();
    turns_in_quotes::check();
    turns_below_zero::check();
    config_is_a_number::check();
    config_is_no_json::check();
    model_is_empty::check();
    output_without_schema::check();
    option_misspelt::check();
    several::check();
    on_a_tool::check();
}
