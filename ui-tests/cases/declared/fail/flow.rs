use genkit::flow;

/// Asks the user for a seat.
#[flow]
async fn pick_seat(row: u32) -> String;

fn main() {}
