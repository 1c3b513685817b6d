use genkit::tool;

/// Asks the user for a seat.
#[tool]
async fn pick_seat<T>(row: T) -> String;

fn main() {}
