#![deny(warnings)]
#![allow(dead_code)]

mod prompt {
    fn asks() {
        let _ = genkit::generate("five");
    }
}

mod model {
    fn asks() {
        let _ = genkit::generate("hi").model("gemini/gemini-2.5-flash");
    }
}

mod default_model {
    fn builds() {
        let _ = genkit::Genkit::builder().default_model("gemini/gemini-2.5-flash");
    }
}

mod builder_model {
    use genkit::model::from_fn;

    fn builds() {
        let _ = genkit::Genkit::builder().model(from_fn("house/small", |_, _| async { "hi" }));
    }
}

mod provider {
    use std::sync::Arc;

    use genkit::model::{Model, Provider, from_fn};

    struct Gemini;

    impl Provider for Gemini {
        fn name(&self) -> &str {
            "gemini"
        }

        fn model(&self, name: &str) -> genkit::Result<Arc<dyn Model>> {
            Ok(Arc::new(from_fn(name, |_, _| async { "hi" })))
        }
    }

    fn builds() -> genkit::Result<()> {
        let _ = genkit::Genkit::builder().provider(Gemini);
        // What the note of a failing `.model(Gemini)` shows.
        let _ = genkit::generate("hi").model(Gemini.model("gemini-2.5-flash")?);
        Ok(())
    }
}

mod model_fn {
    use std::num::ParseIntError;

    use genkit::model::from_fn;

    fn makes() {
        let _ = from_fn("five", |_, _| async { "5" });
        let _ = from_fn("five", |_, _| async {
            Ok::<_, ParseIntError>("5".parse::<u8>()?.to_string())
        });
        let _ = from_fn("five", async |_, _| "5");
    }
}

mod on_tool {
    use genkit::middleware::on_tool;

    fn makes() {
        let _ = on_tool(|call, next| next.run(call));
        let _ = on_tool(|call, _| async move { call.request().respond("done") });
        let _ = on_tool(|call, next| async move { next.run(call).await });
    }
}

mod tools {
    use genkit::{tool, tools};

    /// Says hello.
    #[tool]
    async fn hello() -> String {
        "hello".to_owned()
    }

    fn asks() {
        let _ = genkit::generate("hi").tools(tools![hello]);
    }
}

mod tool_misspelt {
    use genkit::{tool, tools};

    /// Says hello.
    #[tool(name = "hello_again")]
    async fn hello() -> String {
        "hello".to_owned()
    }

    fn asks() {
        let _ = genkit::generate("hi").tools(tools![hello]);
    }
}

mod output {
    #[derive(serde::Deserialize, schemars::JsonSchema)]
    struct Dish {
        name: String,
    }

    fn asks() {
        let _ = genkit::generate("A dish?").output::<Dish>();
        let _ = |dish: Dish| dish.name;
    }
}

mod extract {
    #[derive(serde::Deserialize, schemars::JsonSchema)]
    struct Dish {
        name: String,
    }

    async fn dish() -> genkit::Result<Dish> {
        genkit::generate("A dish?").extract::<Dish>().await
    }
}

mod validate {
    #[derive(serde::Deserialize, schemars::JsonSchema)]
    struct Dish {
        minutes: u32,
    }

    fn asks() {
        let run = genkit::generate("A dish?").extract::<Dish>();
        let _ = run
            .validate(|dish| if dish.minutes < 30 { Ok(()) } else { Err("too slow") })
            .validate_async(|dish| async move { u8::try_from(dish.minutes).map(drop) });
    }
}

mod extract_without_type {
    async fn dish() -> genkit::Result<()> {
        let dish = genkit::generate("A dish?").extract::<String>().await?;
        let _ = dish;
        Ok(())
    }
}

mod handler_input {
    use genkit::{Context, Tool};

    #[derive(serde::Deserialize, schemars::JsonSchema)]
    struct Query {
        text: String,
    }

    async fn search(text: String) -> genkit::Result<String> {
        Ok(text)
    }

    fn build() {
        let tool = Tool::builder("search", "Searches.");
        let _ = tool.handler(|_: Context, query: Query| async move { Ok(query.text) });
        let _ = search;
    }
}

mod handler_value {
    use genkit::{Context, Tool};

    #[derive(serde::Deserialize, schemars::JsonSchema)]
    struct Query {
        text: String,
    }

    async fn search(text: String) -> genkit::Result<String> {
        Ok(text)
    }

    fn build() {
        let tool = Tool::builder("search", "Searches.");
        let _ = tool.handler(|_: Context, query: Query| async move { Ok(query.text) });
        let _ = search;
    }
}

mod handler_result {
    use genkit::{Context, Tool};

    #[derive(serde::Deserialize, schemars::JsonSchema)]
    struct Query {
        text: String,
    }

    async fn search(text: String) -> genkit::Result<String> {
        Ok(text)
    }

    fn build() {
        let tool = Tool::builder("search", "Searches.");
        let _ =
            tool.handler(|_: Context, query: Query| async move { Ok(search(query.text).await?) });
        let _ = search;
    }
}

fn main() {}
