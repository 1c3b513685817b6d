#![deny(unused_must_use)]

use genkit::{Context, Result};

async fn folders(ctx: &Context) -> Result<()> {
    ctx.roots();
    Ok(())
}

fn main() {
    let _ = folders;
}
