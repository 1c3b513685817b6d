use genkit::tool;

struct Seat;

/// Asks the user for a seat.
#[tool]
async fn pick_seat(row: u32) -> Seat;

fn main() {}
