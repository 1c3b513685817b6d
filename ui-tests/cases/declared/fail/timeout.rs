use genkit::tool;

/// Asks the user for a seat.
#[tool(timeout = "1m")]
async fn pick_seat(row: u32) -> String;

fn main() {}
