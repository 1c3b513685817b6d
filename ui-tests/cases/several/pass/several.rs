//! Corrected versions of the cases of `several`, each in a module with the name of the case.

#![deny(warnings)]

mod one_function {
    use genkit::tool;

    /// Gets the weather.
    #[tool(title = "Weather", timeout = "30s", read_only)]
    async fn get_weather(city: String, #[arg(default)] days: u8, pair: (u8, u8)) -> String {
        let (a, b) = pair;
        format!("{city}{days}{a}{b}")
    }
}

mod types_of_one_function {
    use genkit::tool;

    // Names that could conflict with names in the expansion.
    mod taken {
        pub struct Context;
        pub struct Input;
        pub struct Vec;
        pub enum Option {}
        pub enum Result {}
    }

    #[derive(serde::Deserialize, schemars::JsonSchema)]
    struct City;
    #[derive(serde::Deserialize, schemars::JsonSchema)]
    struct Unit;
    #[derive(serde::Serialize, schemars::JsonSchema)]
    struct Weather;

    /// Gets the weather.
    #[tool(metadata = { "a": 1 }, tags("b"))]
    async fn get_weather(
        ctx: &Context,
        input: &Input,
        city: City,
        units: std::vec::Vec<Unit>,
        #[arg(default = 3)] days: u8,
    ) -> std::result::Result<Weather, String> {
        drop((city, units, days));
        let _ = (ctx, input);
        Ok(Weather)
    }

    #[allow(unused_imports)]
    use taken::*;
}

mod nothing_follows {
    use genkit::{Tool, tool, tools};

    /// Is described.
    #[tool]
    async fn described(city: String) -> String {
        city
    }

    /// Says hello.
    #[tool]
    async fn hello() -> String {
        described("Oslo".to_owned()).await
    }

    pub fn check() {
        assert_eq!(tools![hello, described].len(), 2);
        assert_eq!(Tool::of::<described>().name(), "described");
    }
}

mod nothing_follows_for_the_others {
    use genkit::{flow, flows, prompt, prompts, resource, resources};

    /// A.
    #[prompt]
    async fn a() -> String {
        String::new()
    }

    /// B.
    #[resource("b://b")]
    async fn b() -> String {
        String::new()
    }

    /// C.
    #[flow]
    async fn c() -> String {
        String::new()
    }

    pub fn check() {
        let _ = (prompts![a], resources![b], flows![c]);
    }
}

mod mistake_in_the_body {
    use genkit::tool;

    /// Says hello.
    #[tool]
    #[deprecated = "callers may go on"]
    #[must_use]
    pub async fn hello() -> String {
        let greeting = "hello";
        greeting.to_owned()
    }

    macro_rules! tool_that_says {
        ($name:ident, $text:literal, $timeout:literal, $ty:ty, $default:expr) => {
            #[doc = $text]
            #[genkit::tool(title = $text, timeout = $timeout)]
            pub async fn $name(
                ctx: &genkit::Context,
                #[arg(default = $default)] suffix: $ty,
            ) -> $ty {
                ctx.info($text).await;
                suffix
            }
        };
    }

    tool_that_says!(goodbye, "Says goodbye.", "1s", String, "!");
}

fn main() {
    nothing_follows::check();
    nothing_follows_for_the_others::check();
}
