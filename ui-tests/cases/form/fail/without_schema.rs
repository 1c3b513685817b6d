use genkit::{Context, Elicited, Result};

#[derive(serde::Deserialize)]
struct Name {
    name: String,
}

async fn greet(ctx: &Context) -> Result<String> {
    match ctx.elicit::<Name>("Who are you?").key("name").await? {
        Elicited::Accepted(answer) => Ok(answer.name),
        _ => Ok("stranger".to_owned()),
    }
}

fn main() {
    let _ = greet;
}
