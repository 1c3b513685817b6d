use genkit::{Context, tool};

/// Tells the time that is left.
#[tool]
async fn time_left<'a>(ctx: &'a Context) -> u64 {
    ctx.time_left().map_or(0, |left| left.as_secs())
}

fn main() {}
