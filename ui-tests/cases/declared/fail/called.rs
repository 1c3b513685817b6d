use genkit::tool;

/// Asks the user for a seat.
#[tool]
async fn pick_seat(row: u32) -> String;

async fn book() -> String {
    pick_seat(7).await
}

fn main() {
    let _ = book();
}
