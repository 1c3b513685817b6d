//! Corrected versions of the cases of `form`, each in a module with the name of the case.

#![deny(warnings)]
#![allow(dead_code)]

mod without_traits {
    use genkit::{Context, Result};

    #[derive(serde::Deserialize, schemars::JsonSchema)]
    struct Name {
        name: String,
    }

    async fn greet(ctx: &Context) -> Result<String> {
        Ok(ctx.elicit::<Name>("Who are you?").await?.accepted()?.name)
    }
}

mod without_schema {
    use genkit::{Context, Elicited, Result};

    #[derive(serde::Deserialize, schemars::JsonSchema)]
    struct Name {
        name: String,
    }

    async fn greet(ctx: &Context) -> Result<String> {
        match ctx.elicit::<Name>("Who are you?").key("name").await? {
            Elicited::Accepted(answer) => Ok(answer.name),
            _ => Ok("stranger".to_owned()),
        }
    }
}

mod type_unknown {
    use genkit::{Context, Result};

    #[derive(serde::Deserialize, schemars::JsonSchema)]
    struct Name {
        name: String,
    }

    async fn greet(ctx: &Context) -> Result<()> {
        let answer: Name = ctx.elicit("Who are you?").await?.accepted()?;
        drop(answer.name);
        Ok(())
    }
}

mod answer_not_taken {
    use genkit::{Context, Result};

    #[derive(serde::Deserialize, schemars::JsonSchema)]
    struct Name {
        name: String,
    }

    async fn greet(ctx: &Context) -> Result<String> {
        let answer: Name = ctx.elicit("Who are you?").await?.accepted()?;
        Ok(answer.name)
    }
}

fn main() {}
