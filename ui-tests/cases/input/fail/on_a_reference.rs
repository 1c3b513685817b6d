use genkit::{Context, tool};

/// Does something.
#[tool]
async fn act(#[input] ctx: &Context) -> bool {
    ctx.is_cancelled()
}

fn main() {}
