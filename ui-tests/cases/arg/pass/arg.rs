//! Corrected versions of the cases of `arg`, each in a module with the name of the case.

#![deny(warnings)]

mod unknown {
    use genkit::tool;

    /// Does something.
    #[tool]
    async fn act(#[schemars(range(min = 1))] days: u8) -> u8 {
        days
    }
}

mod unknown_but_near {
    use genkit::tool;

    /// Does something.
    #[tool]
    async fn act(#[arg(default = 1)] days: u8) -> u8 {
        days
    }
}

mod of_the_function {
    use genkit::tool;

    /// Does something.
    #[tool]
    async fn act(
        /// How many.
        days: u8,
    ) -> u8 {
        days
    }
}

mod without_option {
    use genkit::tool;

    /// Does something.
    #[tool]
    async fn act(#[arg(default)] days: u8) -> u8 {
        days
    }
}

mod on_a_reference {
    use genkit::{Context, tool};

    /// Does something.
    #[tool]
    async fn act(#[allow(unused_variables)] ctx: &Context) -> bool {
        true
    }
}

mod default_repeated {
    use genkit::tool;

    /// Does something.
    #[tool]
    async fn act(#[arg(default = 1)] days: u8, #[arg(default = 2)] hours: u8) -> u8 {
        days + hours
    }
}

mod default_also_in_serde {
    use genkit::tool;

    /// Does something.
    #[tool]
    async fn act(#[serde(default)] days: u8) -> u8 {
        days
    }
}

mod default_in_parentheses {
    use genkit::tool;

    /// Does something.
    #[tool]
    async fn act(#[arg(default = 1 + 2)] days: u8) -> u8 {
        days
    }
}

mod default_of_another_type {
    use genkit::tool;

    /// Does something.
    #[tool]
    async fn act(#[arg(default = -1.5)] celsius: f64) -> f64 {
        celsius
    }
}

mod default_text_for_a_number {
    use genkit::{Tool, tool};

    /// Greets.
    #[tool]
    async fn greet(
        #[arg(default = "you")] name: String,
        #[arg(default = "Hello")] word: std::borrow::Cow<'static, str>,
        #[arg(default = Some("!".to_owned()))] end: Option<String>,
    ) -> String {
        format!("{word}, {name}{}", end.unwrap_or_default())
    }

    pub fn check() {
        let tool = Tool::of::<greet>();
        assert_eq!(tool.input_schema()["properties"]["name"]["default"], "you");
        assert!(tool.input_schema().get("required").is_none());
    }
}

mod default_without_a_default {
    use genkit::tool;

    #[derive(Default, serde::Deserialize, schemars::JsonSchema)]
    enum Unit {
        #[default]
        Celsius,
        Fahrenheit,
    }

    /// Does something.
    #[tool]
    async fn act(
        #[arg(default)] unit: Unit,
        #[arg(default = Unit::Fahrenheit)] other: Unit,
    ) -> bool {
        matches!((unit, other), (Unit::Celsius, Unit::Fahrenheit))
    }
}

mod default_misspelt {
    use genkit::tool;

    const DAYS: u8 = 3;

    /// Does something.
    #[tool]
    async fn act(#[arg(default = DAYS)] days: u8) -> u8 {
        days
    }
}

mod complete_on_a_tool {
    use genkit::prompt;

    /// Does something.
    #[prompt]
    async fn act(#[arg(complete = ["Oslo"])] city: String) -> String {
        city
    }
}

mod complete_with_a_text {
    use genkit::prompt;

    /// Does something.
    #[prompt]
    async fn act(#[arg(complete = ["Oslo", "Lima"], default = "Oslo")] city: String) -> String {
        city
    }
}

mod complete_with_nothing {
    use genkit::resource;

    /// Does something.
    #[resource("city://{city}")]
    async fn act(#[arg(complete = ["Oslo"])] city: String) -> String {
        city
    }
}

mod complete_without_value {
    use genkit::action::CompleteRequest;
    use genkit::prompt;

    async fn cities(asked: CompleteRequest) -> Vec<String> {
        vec![asked.value().to_owned()]
    }

    /// Does something.
    #[prompt]
    async fn act(#[arg(complete = cities)] city: String) -> String {
        city
    }
}

mod completion_not_async {
    use genkit::action::CompleteRequest;
    use genkit::prompt;

    fn cities(_: CompleteRequest) -> impl Future<Output = [&'static str; 2]> + Send {
        std::future::ready(["Oslo", "Lima"])
    }

    /// Does something.
    #[prompt]
    async fn act(#[arg(complete = cities)] city: String) -> String {
        city
    }
}

mod completion_without_question {
    use genkit::prompt;

    mod inner {
        pub async fn cities(_: genkit::action::CompleteRequest) -> Vec<&'static str> {
            vec!["Oslo"]
        }
    }

    /// Does something.
    #[prompt]
    async fn act(#[arg(complete = inner::cities)] city: String) -> String {
        city
    }
}

mod completion_of_numbers {
    use genkit::action::CompleteRequest;
    use genkit::{Result, prompt};

    async fn cities(asked: CompleteRequest) -> Result<Vec<String>> {
        let db: &Vec<String> = asked.state()?;
        Ok(db.clone())
    }

    /// Does something.
    #[prompt]
    async fn act(#[arg(complete = cities)] city: String) -> String {
        city
    }
}

mod completion_misspelt {
    use genkit::action::CompleteRequest;
    use genkit::prompt;

    async fn cities(asked: CompleteRequest) -> Vec<String> {
        vec![asked.value().to_owned()]
    }

    /// Does something.
    #[prompt]
    async fn act(#[arg(complete = cities)] city: String) -> String {
        city
    }
}

mod extension_by_value {
    use genkit::tool;

    struct User;

    /// Does something.
    #[tool]
    async fn act(#[arg(extension)] user: &User) -> String {
        let _ = user;
        String::new()
    }
}

mod optional {
    use genkit::tool;

    /// Adds two numbers.
    #[tool]
    async fn add(a: i64) -> i64 {
        a
    }
}

mod without_key {
    use genkit::tool;

    /// Adds two numbers.
    #[tool]
    async fn add(
        /// The number.
        a: i64,
    ) -> i64 {
        a
    }
}

fn main() {
    default_text_for_a_number::check();
}
