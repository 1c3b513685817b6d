//! Corrected versions of the cases of `awaiting`, each in a module with the name of the case.

#![deny(warnings)]
#![allow(dead_code)]

mod forgotten {
    async fn ask() -> genkit::Result<()> {
        genkit::generate("hi").await?;
        Ok(())
    }
}

mod forgotten_of_a_server {
    async fn serve() -> genkit::Result<()> {
        genkit::serve_mcp().await
    }
}

mod forgotten_of_a_question {
    use genkit::{Context, Result};

    async fn folders(ctx: &Context) -> Result<()> {
        ctx.roots().await?;
        Ok(())
    }
}

mod forgotten_before_the_text {
    async fn ask() -> genkit::Result<String> {
        Ok(genkit::generate("hi").await?.text())
    }
}

mod forgotten_before_the_answer {
    async fn ask() -> genkit::Result<String> {
        Ok(genkit::generate("hi").await?.text())
    }
}

mod spawned {
    fn ask() {
        drop(tokio::spawn(genkit::generate("hi").run()));
    }
}

mod spawned_call {
    use std::future::IntoFuture;

    use genkit::message::ToolRequest;
    use genkit::{Flow, Tool, flow, tool};

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

    fn calls() {
        drop(tokio::spawn(Tool::of::<add>().call(&ToolRequest::new("add", ())).run()));
        drop(tokio::spawn(Flow::of::<greet>().run("Ada").into_future()));
    }
}

mod blocked_on {
    fn serve() -> genkit::Result<()> {
        let runtime = tokio::runtime::Runtime::new()?;
        runtime.block_on(genkit::serve_mcp().run())
    }
}

mod twice {
    async fn serve() -> genkit::Result<()> {
        genkit::serve_mcp().await
    }
}

mod of_tools {
    use genkit::{Tool, tool, tools};

    /// Adds.
    #[tool]
    async fn add(a: i64, b: i64) -> i64 {
        a + b
    }

    async fn all() -> Vec<Tool> {
        tools![add]
    }
}

mod forgotten_of_a_function {
    use genkit::tool;

    /// Adds.
    #[tool]
    async fn add(a: i64, b: i64) -> i64 {
        a + b
    }

    async fn sum() -> i64 {
        add(1, 2).await
    }
}

mod forgotten_before_accepted {
    use genkit::{Context, Result};

    #[derive(serde::Deserialize, schemars::JsonSchema)]
    struct Name {
        name: String,
    }

    async fn ask(ctx: &Context) -> Result<String> {
        Ok(ctx.elicit::<Name>("Your name?").await?.accepted()?.name)
    }
}

fn main() {}
