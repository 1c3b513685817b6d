use genkit::tool;

/// Asks the user for a seat.
#[tool(at_most_once)]
async fn pick_seat(row: u32) -> String;

fn main() {}
