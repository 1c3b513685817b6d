//! Corrected versions of the cases of `input`, each in a module with the name of the case.

#![deny(warnings)]

mod not_alone {
    use genkit::{Context, tool};

    #[derive(Default, serde::Deserialize, schemars::JsonSchema)]
    struct Query {
        text: String,
    }

    /// Does something.
    #[tool]
    async fn act(ctx: &Context, #[input] query: Query) -> String {
        ctx.info("asked").await;
        query.text
    }
}

mod two_of_them {
    use genkit::tool;

    #[derive(Default, serde::Deserialize, schemars::JsonSchema)]
    struct Query {
        text: String,
    }

    /// Does something.
    #[tool]
    async fn act(query: Query, other: Query) -> String {
        query.text + &other.text
    }
}

mod twice {
    use genkit::tool;

    #[derive(Default, serde::Deserialize, schemars::JsonSchema)]
    struct Query {
        text: String,
    }

    /// Does something.
    #[tool]
    async fn act(#[input] Query { text }: Query) -> String {
        text
    }
}

mod on_a_reference {
    use genkit::{Context, tool};

    #[derive(Default, serde::Deserialize, schemars::JsonSchema)]
    struct Query {
        text: String,
    }

    /// Does something.
    #[tool]
    async fn act(#[input] query: Query, ctx: &Context) -> String {
        ctx.info("asked").await;
        query.text
    }
}

mod with_options {
    use genkit::tool;

    #[derive(Default, serde::Deserialize, schemars::JsonSchema)]
    struct Query {
        text: String,
    }

    /// Does something.
    #[tool]
    async fn act(#[input] mut query: Query) -> String {
        query.text.push('!');
        query.text
    }
}

mod with_serde {
    use genkit::tool;

    #[derive(Default, serde::Deserialize, schemars::JsonSchema)]
    struct Query {
        text: String,
    }

    /// Does something.
    #[tool]
    async fn act(#[serde(rename = "q")] query: Query) -> String {
        query.text
    }
}

mod with_default {
    use genkit::tool;

    #[derive(Default, serde::Deserialize, schemars::JsonSchema)]
    struct Query {
        text: String,
    }

    /// Does something.
    #[tool]
    async fn act(#[arg(default)] query: Query) -> String {
        query.text
    }
}

mod no_object {
    use genkit::flow;

    /// Does something.
    #[flow]
    async fn act(#[input] text: String) -> String {
        text
    }
}

mod without_traits {
    use genkit::prompt;

    #[derive(Default, serde::Deserialize, schemars::JsonSchema)]
    struct Query {
        text: String,
    }

    /// Does something.
    #[prompt]
    async fn act(
        /// Everything.
        #[input]
        query: Query,
    ) -> String {
        query.text
    }
}

fn main() {}
