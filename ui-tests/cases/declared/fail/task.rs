use genkit::tool;

/// Asks the user for a seat.
#[tool(task = "5s")]
async fn pick_seat(row: u32) -> String;

fn main() {}
