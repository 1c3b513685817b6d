use genkit::tool;

struct Plane;

/// Asks the user for a seat.
#[tool]
async fn pick_seat(plane: &Plane, row: u32) -> String;

fn main() {}
