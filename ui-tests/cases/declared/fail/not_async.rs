use genkit::tool;

/// Asks the user for a seat.
#[tool]
fn pick_seat(row: u32) -> String;

fn main() {}
