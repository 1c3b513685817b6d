use genkit::{Context, Result};

async fn greet(ctx: &Context) -> Result<()> {
    let answer = ctx.elicit("Who are you?").await?.accepted()?;
    drop(answer);
    Ok(())
}

fn main() {
    let _ = greet;
}
