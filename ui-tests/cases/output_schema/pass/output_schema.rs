//! Corrected versions of the cases of `output_schema`, each in a module with the name of the case.

#![deny(warnings)]

mod type_without_schema {
    use genkit::{serde_json, tool, tools};

    #[derive(schemars::JsonSchema)]
    #[allow(dead_code)]
    struct Weather {
        celsius: f64,
    }

    /// Gets the weather.
    #[tool(output_schema = Weather)]
    async fn weather() -> serde_json::Value {
        serde_json::json!({"celsius": 21})
    }

    pub fn check() {
        let schema = tools![weather][0].output_schema().cloned().expect("it is declared");
        assert_eq!(schema["type"], "object");
    }
}

mod of_a_part {
    use genkit::{Part, ToolReply, serde_json, tool, tools};

    #[derive(schemars::JsonSchema)]
    #[allow(dead_code)]
    struct Weather {
        celsius: f64,
    }

    /// Gets the weather.
    #[tool(output_schema = Weather)]
    async fn weather() -> ToolReply<serde_json::Value> {
        ToolReply::new(serde_json::json!({"celsius": 21})).with_part(Part::text("21 degrees"))
    }

    pub fn check() {
        let schema = tools![weather][0].output_schema().cloned().expect("it is declared");
        assert_eq!(schema["type"], "object");
    }
}

mod of_parts_in_a_result {
    use genkit::{Result, serde_json, tool, tools};

    /// Gets the weather.
    #[tool(output_schema = { "type": "object" })]
    async fn weather() -> Result<serde_json::Value> {
        Ok(serde_json::json!({"celsius": 21}))
    }

    pub fn check() {
        let schema = tools![weather][0].output_schema().cloned().expect("it is declared");
        assert_eq!(schema["type"], "object");
    }
}

mod a_text {
    use genkit::{serde_json, tool, tools};

    #[derive(schemars::JsonSchema)]
    #[allow(dead_code)]
    struct Weather {
        celsius: f64,
    }

    /// Gets the weather.
    #[tool(output_schema = self::Weather)]
    async fn weather() -> serde_json::Value {
        serde_json::Value::Null
    }

    pub fn check() {
        let schema = tools![weather][0].output_schema().cloned().expect("it is declared");
        assert_eq!(schema["type"], "object");
    }
}

mod no_value {
    use genkit::{serde_json, tool, tools};

    #[derive(schemars::JsonSchema)]
    #[allow(dead_code)]
    struct Weather {
        celsius: f64,
    }

    /// Gets the weather.
    #[tool(output_schema = Vec<Weather>)]
    async fn weather() -> serde_json::Value {
        serde_json::Value::Null
    }

    pub fn check() {
        let schema = tools![weather][0].output_schema().cloned().expect("it is declared");
        assert_eq!(schema["type"], "array");
    }
}

mod call_that_gives_no_schema {
    use genkit::{serde_json, tool, tools};

    fn schema() -> serde_json::Value {
        serde_json::json!({"type": "object"})
    }

    /// Gets the weather.
    #[tool(output_schema = schema())]
    async fn weather() -> serde_json::Value {
        serde_json::Value::Null
    }

    pub fn check() {
        let schema = tools![weather][0].output_schema().cloned().expect("it is declared");
        assert_eq!(schema["type"], "object");
    }
}

mod misspelt_type {
    use genkit::{serde_json, tool, tools};

    #[derive(schemars::JsonSchema)]
    #[allow(dead_code)]
    struct Weather {
        celsius: f64,
    }

    /// Gets the weather.
    #[tool(output_schema = schemars::schema_for!(Weather))]
    async fn weather() -> serde_json::Value {
        serde_json::Value::Null
    }

    pub fn check() {
        let schema = tools![weather][0].output_schema().cloned().expect("it is declared");
        assert_eq!(schema["type"], "object");
    }
}

mod on_a_prompt {
    use genkit::{prompt, prompts};

    /// Asks for a poem.
    #[prompt(timeout = "5s")]
    async fn poem() -> &'static str {
        "A poem, please."
    }

    pub fn check() {
        let limit = std::time::Duration::from_secs(5);
        assert_eq!(prompts![poem][0].timeout(), Some(limit));
    }
}

fn main() {
    type_without_schema::check();
    of_a_part::check();
    of_parts_in_a_result::check();
    a_text::check();
    no_value::check();
    call_that_gives_no_schema::check();
    misspelt_type::check();
    on_a_prompt::check();
}
