use genkit::{Context, Result};

#[derive(serde::Deserialize, schemars::JsonSchema)]
struct Name {
    name: String,
}

async fn ask(ctx: &Context) -> Result<String> {
    Ok(ctx.elicit::<Name>("Your name?").accepted()?.name)
}

fn main() {
    let _ = ask;
}
