use genkit::{Context, tool};

/// Asks the user for a seat.
#[tool]
async fn pick_seat(ctx: &Context, row: u32) -> String;

fn main() {}
