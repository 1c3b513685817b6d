use genkit::tool;

/// Asks the user for a seat.
#[tool]
async fn pick_seat(row: u32);

fn main() {}
