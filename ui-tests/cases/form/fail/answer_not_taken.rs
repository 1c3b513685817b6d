use genkit::{Context, Result};

#[derive(serde::Deserialize, schemars::JsonSchema)]
struct Name {
    name: String,
}

async fn greet(ctx: &Context) -> Result<String> {
    let answer: Name = ctx.elicit("Who are you?").await?;
    Ok(answer.name)
}

fn main() {
    let _ = greet;
}
