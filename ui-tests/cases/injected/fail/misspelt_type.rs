use genkit::tool;

/// Does something.
#[tool]
async fn act(ctx: &Contxt) -> bool {
    ctx.is_cancelled()
}

fn main() {}
