use genkit::{Answer, Interrupt, tool};

/// Asks the user for a seat.
#[tool]
async fn pick_seat(row: u32) -> String;

fn answer(question: &Interrupt) -> Answer {
    question.respond_as::<pick_seat>(7)
}

fn main() {
    let _ = answer;
}
