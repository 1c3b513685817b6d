use genkit::{Context, Result};

struct Name {
    name: String,
}

async fn greet(ctx: &Context) -> Result<String> {
    Ok(ctx.elicit::<Name>("Who are you?").await?.accepted()?.name)
}

fn main() {
    let _ = greet;
}
