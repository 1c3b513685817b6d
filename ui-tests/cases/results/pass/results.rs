//! Corrected versions of the cases of `results`, each in a module with the name of the case.

#![deny(warnings)]

mod value_without_traits {
    use genkit::tool;

    #[derive(serde::Serialize, schemars::JsonSchema)]
    struct Weather {
        celsius: f64,
    }

    /// Does something.
    #[tool]
    async fn act() -> Weather {
        Weather { celsius: 21.0 }
    }
}

mod value_in_a_result {
    use genkit::{Result, tool};

    #[derive(serde::Serialize, schemars::JsonSchema)]
    struct Weather {
        celsius: f64,
    }

    /// Does something.
    #[tool]
    async fn act() -> Result<Weather> {
        Ok(Weather { celsius: 21.0 })
    }
}

mod value_in_an_alias {
    use genkit::tool;

    #[derive(serde::Serialize, schemars::JsonSchema)]
    struct Weather {
        celsius: f64,
    }

    type Answer = Result<Weather, String>;

    /// Does something.
    #[tool]
    async fn act() -> Answer {
        Ok(Weather { celsius: 21.0 })
    }
}

mod error_without_traits {
    use genkit::tool;

    #[derive(Debug)]
    struct Rain;

    impl std::fmt::Display for Rain {
        fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
            f.write_str("it rains")
        }
    }

    impl std::error::Error for Rain {}

    /// Does something.
    #[tool]
    async fn act() -> Result<String, Rain> {
        Err(Rain)
    }
}

mod value_and_error {
    use genkit::{Context, Part, Tool, ToolReply, tool};

    /// One part.
    #[tool]
    async fn part() -> Part {
        Part::text("a")
    }

    /// Several.
    #[tool]
    async fn parts() -> Result<Vec<Part>, std::io::Error> {
        Ok(vec![Part::text("a"), Part::text("b")])
    }

    /// A value and a text.
    #[tool]
    async fn reply() -> ToolReply<u8> {
        ToolReply::new(1).with_text("one")
    }

    /// Nothing.
    #[tool]
    async fn nothing() {}

    /// Something borrowed from what is injected.
    #[tool]
    async fn borrowed(
        names: &Vec<String>,
    ) -> Result<&str, Box<dyn std::error::Error + Send + Sync>> {
        names.first().map(String::as_str).ok_or_else(|| "no name".into())
    }

    /// Borrowed by a type that does not show it.
    #[tool]
    async fn cow(_ctx: &Context, names: &Vec<String>) -> genkit::Result<Vec<String>> {
        Ok(names.clone())
    }

    pub fn check() {
        assert!(Tool::of::<parts>().output_schema().is_none());
        assert!(Tool::of::<reply>().output_schema().is_some());
    }
}

mod of_a_prompt {
    use genkit::action::PromptReply;
    use genkit::{Message, Part, Result, prompt};

    /// A text.
    #[prompt]
    async fn text() -> String {
        "Write.".to_owned()
    }

    /// A text of the program.
    #[prompt]
    async fn fixed() -> &'static str {
        "Write."
    }

    /// Messages.
    #[prompt]
    async fn messages() -> Result<Vec<Message>> {
        Ok(vec![Message::user("Write."), Message::model("What?")])
    }

    /// Parts.
    #[prompt]
    async fn parts() -> Vec<Part> {
        vec![Part::text("Write.")]
    }

    /// A reply.
    #[prompt]
    async fn reply() -> PromptReply {
        PromptReply::new([Message::user("Write.")]).with_description("Short.")
    }
}

mod of_a_resource {
    use genkit::action::ResourceContents;
    use genkit::serde_json::Value;
    use genkit::{Result, resource};

    /// A text.
    #[resource("a://text")]
    async fn text() -> String {
        "a".to_owned()
    }

    /// Bytes.
    #[resource("a://bytes")]
    async fn bytes() -> Vec<u8> {
        vec![1]
    }

    /// JSON.
    #[resource("a://json")]
    async fn json() -> Value {
        Value::Null
    }

    /// Several.
    #[resource("a://several")]
    async fn several() -> Result<Vec<ResourceContents>> {
        Ok(vec![ResourceContents::text("a"), ResourceContents::json(&1)?])
    }
}

mod of_a_flow {
    use genkit::flow;

    #[derive(serde::Serialize, schemars::JsonSchema)]
    struct Weather {
        celsius: f64,
    }

    /// Does something.
    #[flow]
    async fn act() -> Weather {
        Weather { celsius: 21.0 }
    }
}

mod misspelt_type {
    use genkit::{Result, tool};

    #[derive(serde::Serialize, schemars::JsonSchema)]
    struct Weather {
        celsius: f64,
    }

    /// Does something.
    #[tool]
    async fn act() -> Result<Weather> {
        Ok(Weather { celsius: 21.0 })
    }
}

mod not_send {
    use genkit::tool;

    /// Does something.
    #[tool]
    async fn act() -> String {
        let shared = std::sync::Arc::new(1);
        std::future::ready(()).await;
        shared.to_string()
    }
}

mod other_error {
    use genkit::ErrorContext as _;

    fn port(text: &str) -> genkit::Result<u16> {
        text.parse::<u16>().context("cannot read the port")
    }
}

fn main() {
    value_and_error::check();
}
