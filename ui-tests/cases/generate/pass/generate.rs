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

fn main() {}
